import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectSocks5 } from '#socks5-protocol/testing';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange, RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const TOKEN = 'a-token-of-the-administrator';
const MAX_REFUSAL = 300;

let origin: Server;
let port: number;
let proxy: RunningProxy;
let log: string;
const directory = mkdtempSync(join(tmpdir(), 'gate-'));

beforeAll(async () => {
  origin = createServer((_request, answer) => answer.end('hello')).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  port = (origin.address() as AddressInfo).port;
  log = join(directory, 'requests.log');
  proxy = await ProxyProgram.start({
    mode: 'mixed',
    default: 'reject',
    admin: { port: 0, token: TOKEN },
    log: { requests: log },
    rules: [{ hosts: ['ads.example'], to: 'reject' }],
  });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  origin.close();
  origin.closeAllConnections();
  rmSync(directory, { recursive: true });
});

async function admin(
  path: string,
  options: RequestInit = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${proxy.admin ?? ''}${path}`, { ...options, headers });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: answer.status, body: isJson ? JSON.parse(text) : text };
}

async function grant(target: string, time = '1h') {
  return admin('/grants', { method: 'POST', body: JSON.stringify({ target, for: time }) });
}

const connectTo = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
const get = (authority: string) =>
  `GET http://${authority}/ HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`;

/** Runs a subcommand that talks to the proxy. */
async function command(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  await using program = new ProxyProgram({ args, env });
  const outcome = await program.outcome();
  return outcome;
}

describe('default: reject', () => {
  it.each([
    ['no rule', 'other.example:443', /no rule .* \(default: reject\).*proxy-client allow other\.example:443 --for 1h/],
    ['no rule, for an address', '0x7f.1:1', /proxy-client allow 127\.0\.0\.1:1 --for 1h/],
    ['a rule', 'ads.example:443', /rule 1 /],
  ])('reports in 300 bytes what refused a program and how to request permission: %s', async (_, authority, text) => {
    for (const request of [connectTo(authority), get(authority)]) {
      const [head = '', body = ''] = (await exchange(proxy.url, request)).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 403 /);
      expect(body).toMatch(text);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_REFUSAL);
      const status = /^Proxy-Status: (.*)$/m.exec(head)?.[1] ?? '';
      expect(status).toMatch(/^proxy-client; error=http_request_denied; details="/);
      expect(status).toMatch(authority.startsWith('ads') ? /rule 1/ : text);
      expect(Buffer.byteLength(status)).toBeLessThanOrEqual(MAX_REFUSAL);
    }
    const [host = '', at] = authority.split(':');
    const target = { host, port: Number(at) };
    const server = { host: '127.0.0.1', port: Number(new URL(proxy.url).port) };
    await expect(connectSocks5({ server, target, timeout: 10_000 })).rejects.toMatchObject({ replyCode: 2 });
    await until(() =>
      readFileSync(log, 'utf8')
        .split('\n')
        .some((line) => line.includes('SOCKS5') && line.includes(authority)),
    );
    const lines = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { target: string; refusal: string });
    for (const line of lines.filter(({ target: asked }) => asked.includes(authority)))
      expect(line.refusal).toMatch(text);
  });

  it('lists what was refused, with what would allow it', async () => {
    await exchange(proxy.url, connectTo('LISTED.example.:8443'));
    await exchange(proxy.url, connectTo('listed.EXAMPLE:8443'));
    const { denials } = (await admin('/denials')).body as { denials: readonly Record<string, unknown>[] };
    expect(denials[0]).toMatchObject({
      target: 'listed.example:8443',
      ...{ rule: null, count: 2, client: '127.0.0.1', user: null },
      command: 'proxy-client allow listed.example:8443 --for 1h',
      allowing_rule: '{ hosts: ["listed.example"], ports: [8443], to: "upstream" }',
    });
    const metrics = (await admin('/metrics')).body as string;
    expect(Number(/^proxy_client_default_rejections_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(2);
  });

  it('requires the token of the admin listener, also of programs of this machine', async () => {
    await using other = await ProxyProgram.start(
      { default: 'reject', admin: { port: 0 } },
      { XDG_RUNTIME_DIR: directory },
    );
    const body = JSON.stringify({ target: 'a.example:1', for: '1h' });
    const headers = { 'Content-Type': 'application/json' };
    const post = async () => fetch(`${other.admin ?? ''}/grants`, { method: 'POST', headers, body });
    expect((await post()).status).toBe(401);
    expect((await fetch(`${other.admin ?? ''}/denials`)).status).toBe(401);
  });

  it('leaves no gate to pass through without it', async () => {
    await using other = await ProxyProgram.start({ admin: { port: 0 } });
    const body = JSON.stringify({ target: 'a.example:1', for: '1h' });
    const headers = { 'Content-Type': 'application/json' };
    expect((await fetch(`${other.admin ?? ''}/grants`, { method: 'POST', headers, body })).status).toBe(409);
  });
});

describe('a grant', () => {
  it('opens one host and port until it is ended, and its tunnels are ended with it', async () => {
    const authority = `127.0.0.1:${port}`;
    expect(await exchange(proxy.url, get(authority))).toMatch(/^HTTP\/1\.1 403 /);
    const { status, body } = await grant(authority);
    expect([status, body]).toEqual([201, expect.objectContaining({ target: authority, requests: 0 })]);
    expect(await exchange(proxy.url, get(authority))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchange(proxy.url, get('127.0.0.1:1'))).toMatch(/^HTTP\/1\.1 403 /);
    const tunnel = await RawConnection.open(proxy.url);
    await tunnel.write(connectTo(authority)).until('\r\n\r\n');
    const { grants } = (await admin('/grants')).body as { grants: readonly { id: string; requests: number }[] };
    expect(grants).toEqual([expect.objectContaining({ target: authority, requests: 2 })]);
    expect((await admin(`/explain?target=${authority}`)).body).toMatchObject({ decision: 'forwarded', rule: null });
    expect((await admin(`/grants/${grants[0]?.id ?? ''}`, { method: 'DELETE' })).status).toBe(204);
    expect(await tunnel.closed).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchange(proxy.url, get(authority))).toMatch(/^HTTP\/1\.1 403 /);
    expect((await admin(`/explain?target=${authority}`)).body).toMatchObject({ decision: 'rejected', rule: null });
    expect(proxy.program.stdout).toMatch(
      /"grant":\{[^}]*"target":"127\.0\.0\.1:\d+"[^}]*\},"by":"127\.0\.0\.1".*"msg":"grant added"/,
    );
    expect(proxy.program.stdout).toMatch(/"connections":1.*"msg":"grant ended"/);
  });

  it('expires, and its tunnels with it', async () => {
    const authority = `localhost:${port}`;
    await grant(authority, '1s');
    const tunnel = await RawConnection.open(proxy.url);
    await tunnel.write(connectTo(authority)).until('\r\n\r\n');
    expect(await tunnel.closed).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchange(proxy.url, connectTo(authority))).toMatch(/^HTTP\/1\.1 403 /);
    await proxy.program.printed('grant expired');
  });

  it('does not open what a rule rejects', async () => {
    await grant('*.example:443', '1m');
    expect(await exchange(proxy.url, connectTo('ads.example:443'))).toMatch(/rule 1 /);
  });

  it('outlasts a reload', async () => {
    const authority = `127.0.0.1:${port}`;
    await grant(authority, '1m');
    proxy.program.process.kill('SIGHUP');
    await proxy.program.printed('reloaded');
    expect(await exchange(proxy.url, get(authority))).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('proxy-client allow', () => {
  it('grants nothing that a rule rejects, or that is this proxy', async () => {
    const own = new URL(proxy.url).host;
    for (const [target, reason] of [
      ['ads.example:443', 'rule 1 rejects it'],
      [own, 'it is an address of this proxy'],
    ] as const) {
      expect(await grant(target)).toEqual({
        status: 409,
        body: `A grant for ${target} has no effect: ${reason}.\n`,
      });
    }
  });

  it('asks the running proxy, by the configuration that contains its token', async () => {
    const authority = `127.0.0.1:${port}`;
    const file = join(directory, 'admin.yaml');
    const { port: adminPort } = new URL(proxy.admin ?? '');
    writeFileSync(file, `admin: { port: ${adminPort}, token: ${TOKEN} }`);
    const done = await command(['allow', authority, '--for', '30m', '--config', file]);
    expect(done).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining(`${authority} is allowed until`) as unknown,
    });
    expect(await exchange(proxy.url, get(authority))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('finds the token of the same user, and prints instructions without it', async () => {
    const runtime = mkdtempSync(join(directory, 'run-'));
    const env = { XDG_RUNTIME_DIR: runtime };
    await using other = await ProxyProgram.start({ default: 'reject', admin: { port: 0 } }, env);
    const of = { PROXY_ADMIN_PORT: new URL(other.admin ?? '').port };
    const found = await command(['allow', 'a.example:443'], { ...env, ...of });
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('a.example:443 is allowed') as unknown });
    const empty = mkdtempSync(join(directory, 'empty-'));
    const refused = await command(['allow', 'a.example:443'], { ...of, XDG_RUNTIME_DIR: empty });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/requires a token.*admin\.token/s);
  });

  it('explains in one line that the directory of the token is open to other users', async () => {
    const temporary = mkdtempSync(join(directory, 'tmp-'));
    mkdirSync(join(temporary, `proxy-client-${process.getuid?.()}`));
    chmodSync(join(temporary, `proxy-client-${process.getuid?.()}`), 0o777);
    const PROXY_ADMIN_PORT = new URL(proxy.admin ?? '').port;
    const refused = await command(['allow', 'a.example:443'], { TMPDIR: temporary, PROXY_ADMIN_PORT });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(
      /^proxy-client: .* requires a token, but its file cannot be found: .* is not a directory of this user alone\. .*\n$/,
    );
    // It is not needed with a token of the configuration.
    const file = join(directory, 'with-token.yaml');
    writeFileSync(file, `admin: { port: ${PROXY_ADMIN_PORT}, token: ${TOKEN} }`);
    const done = await command(['allow', 'b.example:443', '--config', file], { TMPDIR: temporary });
    expect(done).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    [['allow', 'a.example'], 2, /HOST:PORT/],
    [['allow', '*:443'], 2, /HOST:PORT/],
    [['allow', 'a.example:443', '--for', '2d'], 2, /24h/],
    [['allow'], 2, /missing required argument/],
    [['allow', 'a.example:443'], 1, /No proxy answers/],
  ])('explains %j', async (args, code, text) => {
    const result = await command(args, { PROXY_ADMIN_PORT: '1' });
    expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(text)]);
  });
});
