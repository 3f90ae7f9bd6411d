import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectSocks5 } from '#socks5-protocol/testing';
import { NodeOrigin } from '../../support/node-origin.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange, RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const TOKEN = 'a-token-of-the-administrator';

const directory = mkdtempSync(join(tmpdir(), 'gate-asks-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Names that lead to the origin: through an HTTP proxy that is every host itself. */
async function start(config: object = {}): Promise<RunningProxy & { readonly upstream: NodeOrigin }> {
  const upstream = await NodeOrigin.start((_request, answer) => answer.end('hello'));
  const proxy = await ProxyProgram.start({
    ...{ mode: 'mixed', upstream: upstream.url, default: 'ask', admin: { port: 0, token: TOKEN } },
    ...config,
  });
  return Object.assign(proxy, { upstream });
}

async function stop(proxy: Awaited<ReturnType<typeof start>>): Promise<void> {
  await proxy[Symbol.asyncDispose]();
  await proxy.upstream[Symbol.asyncDispose]();
}

async function admin(proxy: RunningProxy, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  const options = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${proxy.admin ?? ''}${path}`, { ...options, headers });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: answer.status, body: isJson ? (JSON.parse(text) as unknown) : text };
}

interface Question {
  readonly id: string;
  readonly target: string;
  readonly waiting: number;
}

async function asks(proxy: RunningProxy): Promise<readonly Question[]> {
  return ((await admin(proxy, '/asks')).body as { asks: readonly Question[] }).asks;
}

/** Waits until this many requests wait, and returns the questions. */
async function waiting(proxy: RunningProxy, count: number): Promise<readonly Question[]> {
  let found: readonly Question[] = [];
  await until(async () => {
    found = await asks(proxy);
    return found.reduce((sum, each) => sum + each.waiting, 0) === count;
  });
  return found;
}

/** Follows the event stream, as an open dashboard does. */
async function watch(proxy: RunningProxy): Promise<{ text: () => string; close: () => Promise<void> }> {
  const controller = new AbortController();
  const { body } = await fetch(`${proxy.admin ?? ''}/events`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
    signal: controller.signal,
  });
  let text = '';
  const read = (async () => {
    for await (const chunk of body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
  })().catch(() => undefined);
  await until(() => text.includes('event: stats'));
  return {
    text: () => text,
    close: async () => {
      controller.abort();
      await read;
    },
  };
}

const get = (host: string) => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
const statusOf = (answer: string): number => Number(answer.slice(9, 12));

describe('requests that ask', () => {
  let proxy: Awaited<ReturnType<typeof start>>;
  let dashboard: Awaited<ReturnType<typeof watch>>;
  beforeAll(async () => {
    proxy = await start({
      rules: [
        { hosts: ['rejected.example'], to: 'reject' },
        { hosts: ['asked.example'], to: 'ask' },
      ],
    });
    dashboard = await watch(proxy);
  });
  afterAll(async () => {
    await dashboard.close();
    await stop(proxy);
  });

  it('share one question, and continue after a yes; clients that gave up find the grant', async () => {
    const requests = [exchange(proxy.url, get('a.example')), exchange(proxy.url, get('A.example.'))];
    const gone = await RawConnection.open(proxy.url);
    gone.write(get('a.example'));
    const [question] = await waiting(proxy, 3);
    gone.socket.destroy();
    await waiting(proxy, 2);
    expect(question).toMatchObject({
      target: 'a.example:80',
      rule: null,
      client: '127.0.0.1',
      command: expect.stringContaining('allow a.example:80') as unknown,
    });
    await until(() => dashboard.text().includes('event: ask\ndata: {"id":"1","target":"a.example:80"'));
    const answered = await admin(proxy, '/asks/1', { answer: 'yes', for: 'once' });
    expect([answered.status, answered.body]).toEqual([
      200,
      expect.objectContaining({ id: '1', target: 'a.example:80' }),
    ]);
    expect((await Promise.all(requests)).map(statusOf)).toEqual([200, 200]);
    expect(statusOf(await exchange(proxy.url, get('a.example')))).toBe(200);
    const again = await admin(proxy, '/asks/1', { answer: 'no' });
    expect(again).toEqual({ status: 409, body: 'This question has ended: yes, by 127.0.0.1.\n' });
    await until(() => dashboard.text().includes('event: answered\ndata: {"id":"1","target":"a.example:80"}'));
    await proxy.program.printed('a question has ended');
    expect(proxy.program.stdout).toMatch(/"ask":\{"id":"1".*"outcome":"yes","by":"127\.0\.0\.1".*a question has ended/);
    const { grants } = (await admin(proxy, '/grants')).body as { grants: readonly { since: string; until: string }[] };
    expect(Date.parse(grants[0]?.until ?? '') - Date.parse(grants[0]?.since ?? '')).toBe(60_000);
  });

  it('are refused after a no, also later; a grant allows them again', async () => {
    const held = exchange(proxy.url, get('no.example'));
    const [question] = await waiting(proxy, 1);
    expect((await admin(proxy, `/asks/${question?.id ?? ''}`, { answer: 'no' })).status).toBe(200);
    for (const answer of [await held, await exchange(proxy.url, get('no.example'))]) {
      expect(statusOf(answer)).toBe(403);
      expect(answer).toContain('a person has answered no for no.example:80');
    }
    expect((await admin(proxy, '/grants', { target: 'no.example:80', for: '1m' })).status).toBe(201);
    expect(statusOf(await exchange(proxy.url, get('no.example')))).toBe(200);
  });

  it('are asked by a rule, hold tunnels and SOCKS5 clients, and are answered by POST /grants', async () => {
    const authority = `asked.example:443`;
    const tunnel = await RawConnection.open(proxy.url);
    tunnel.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
    const server = { host: '127.0.0.1', port: Number(new URL(proxy.url).port) };
    const socks = connectSocks5({ server, target: { host: 'asked.example', port: 443 }, timeout: 60_000 });
    const refused = expect(socks).rejects.toMatchObject({ replyCode: 2 });
    const [question] = await waiting(proxy, 2);
    expect(question).toMatchObject({ target: authority, rule: 2, waiting: 2 });
    expect((await admin(proxy, `/explain?target=${authority}`)).body).toMatchObject({ decision: 'asked', rule: 2 });
    await admin(proxy, `/asks/${question?.id ?? ''}`, { answer: 'no' });
    await refused;
    expect(await tunnel.closed).toMatch(/^HTTP\/1\.1 403 /);
    expect(statusOf(await exchange(proxy.url, get('rejected.example')))).toBe(403);
    const held = exchange(proxy.url, get('b.c.example'));
    const other = exchange(proxy.url, get('b.other.example'));
    const [first] = await waiting(proxy, 2);
    // The entry must cover the host of the question.
    expect((await admin(proxy, `/asks/${first?.id ?? ''}`, { answer: 'yes', host: '*.else.example' })).status).toBe(
      400,
    );
    expect(
      (await admin(proxy, `/asks/${first?.id ?? ''}`, { answer: 'yes', host: '*.c.example', for: '1h' })).status,
    ).toBe(200);
    expect(statusOf(await held)).toBe(200);
    expect(statusOf(await exchange(proxy.url, get('d.c.example')))).toBe(200);
    await admin(proxy, '/grants', { target: 'b.other.example:80', for: '1m' });
    expect(statusOf(await other)).toBe(200);
  });

  it.each([
    [{ answer: 'maybe' }, 400],
    [{ answer: 'yes', for: '2d' }, 400],
    [{ answer: 'yes', port: 1 }, 400],
  ])('refuse the answer %j', async (body, status) => {
    expect((await admin(proxy, '/asks/999', body)).status).toBe(status);
    expect((await admin(proxy, '/asks/999', { answer: 'yes' })).status).toBe(404);
  });

  it.each([
    ['control characters', 'a\u001b[31m.example'],
    ['a line feed', 'a\n.example'],
    ['10,000 characters', `${'a.'.repeat(5000)}example`],
    ['a space in percent-encoding', 'a%20b.example'],
  ])('are refused without a question for a name with %s', async (_, host) => {
    expect(statusOf(await exchange(proxy.url, `CONNECT ${host}:443 HTTP/1.1\r\nHost: a\r\n\r\n`))).toBe(400);
    expect(await asks(proxy)).toEqual([]);
  });

  it('show the A-labels of names that look like others', async () => {
    const name = Buffer.from('\u0430pple.example').toString('latin1');
    const held = exchange(proxy.url, `CONNECT ${name}:443 HTTP/1.1\r\nHost: a\r\n\r\n`);
    const [question] = await waiting(proxy, 1);
    expect(question?.target).toBe('xn--pple-43d.example:443');
    await admin(proxy, `/asks/${question?.id ?? ''}`, { answer: 'no' });
    expect(statusOf(await held)).toBe(403);
  });

  it('are answered by commands', async () => {
    const file = join(directory, 'admin.yaml');
    writeFileSync(file, `admin: { port: ${new URL(proxy.admin ?? '').port}, token: ${TOKEN} }`);
    const command = async (...args: readonly string[]) => {
      await using program = new ProxyProgram({ args: [...args, '--config', file] });
      const outcome = await program.outcome();
      return outcome;
    };
    const held = exchange(proxy.url, get('deny.example'));
    await waiting(proxy, 1);
    expect(await command('deny', 'DENY.example:80')).toMatchObject({ code: 0, stdout: 'deny.example:80 is refused\n' });
    expect(statusOf(await held)).toBe(403);
    expect(await command('deny', 'deny.example:80')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No request for deny.example:80 waits') as unknown,
    });
    const other = exchange(proxy.url, get('allow.example'));
    await waiting(proxy, 1);
    expect(await command('allow', 'allow.example:80')).toMatchObject({ code: 0 });
    expect(statusOf(await other)).toBe(200);
  });

  it('are counted', async () => {
    const text = (await admin(proxy, '/metrics')).body as string;
    expect(text).toMatch(/^proxy_client_asks_waiting 0$/m);
    expect(text).toMatch(/^proxy_client_asks_answered_total\{answer="no"\} 4$/m);
    expect(Number(/^proxy_client_asks_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(6);
  });
});

describe('limits of questions', () => {
  const ask = { timeout: '10m', waiting: 3, waitingPerClient: 2, questions: 2, notify: { command: ['true'] } };

  it('refuse more requests at once', async () => {
    const proxy = await start({ gate: { ask } });
    const held = [exchange(proxy.url, get('a.example')), exchange(proxy.url, get('b.example'))];
    await waiting(proxy, 2);
    for (const host of ['a.example', 'c.example']) {
      const answer = await exchange(proxy.url, get(host));
      expect([statusOf(answer), answer]).toEqual([403, expect.stringContaining('too many requests wait')]);
    }
    for (const { id } of await asks(proxy)) await admin(proxy, `/asks/${id}`, { answer: 'no' });
    expect((await Promise.all(held)).map(statusOf)).toEqual([403, 403]);
    await stop(proxy);
  });

  it('expire with 503 and Retry-After', async () => {
    const proxy = await start({ gate: { ask: { ...ask, timeout: '1s' } } });
    const answer = await exchange(proxy.url, get('a.example'));
    expect(answer).toMatch(
      /^HTTP\/1\.1 503 [^]*Retry-After: 5\r\n[^]*No person has answered yet[^]*proxy-client allow/,
    );
    expect((await admin(proxy, '/denials')).body).toMatchObject({ denials: [{ target: 'a.example:80' }] });
    expect((await admin(proxy, '/metrics')).body).toMatch(/^proxy_client_asks_expired_total 1$/m);
    await stop(proxy);
  });

  it.each([
    ['without a dashboard, a notifier and a terminal', {}, []],
    ['with --unattended', { gate: { ask } }, ['--unattended']],
  ])('refuse at once, and state that no one is there: %s', async (_, config, args) => {
    const upstream = await NodeOrigin.start((_request, answer) => answer.end('hello'));
    const proxy = await ProxyProgram.start({ upstream: upstream.url, default: 'ask', ...config }, {}, args);
    const answer = await exchange(proxy.url, get('a.example'));
    expect([statusOf(answer), answer]).toEqual([403, expect.stringContaining('none is there to answer')]);
    await proxy[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  it('end with the proxy', async () => {
    const proxy = await start({ gate: { ask: { ...ask, timeout: '10m' } } });
    const held = exchange(proxy.url, get('a.example'));
    await waiting(proxy, 1);
    proxy.program.process.kill('SIGTERM');
    expect(statusOf(await held)).toBe(503);
    await stop(proxy);
  });
});

describe('gate.ask.notify', () => {
  it('runs a command with the question, which may answer it', async () => {
    const script = join(directory, 'answer.sh');
    const seen = join(directory, 'seen.json');
    writeFileSync(
      script,
      `#!/bin/sh\ncat > ${seen}; echo "$1|$2" >> ${seen}\necho '{"answer": "yes", "for": "day"}'\n`,
    );
    chmodSync(script, 0o755);
    const proxy = await start({ gate: { ask: { notify: { command: [script, 'first'] } } } });
    expect(statusOf(await exchange(proxy.url, get('a.example')))).toBe(200);
    const [json = '', args] = readFileSync(seen, 'utf8').split(/\n?(?=first)/);
    expect(JSON.parse(json)).toMatchObject({ id: '1', target: 'a.example:80' });
    expect(args).toBe('first|127.0.0.1 wants to reach a.example:80\n');
    await proxy.program.printed('"by":"gate.ask.notify.command"');
    await stop(proxy);
  });

  it('holds neither the exit of the proxy nor the answer of another when the command never ends', async () => {
    const pids = join(directory, 'pids');
    const script = join(directory, 'endless.sh');
    writeFileSync(script, `#!/bin/sh\ntrap '' TERM\nsleep 1000 &\necho $$ $! > ${pids}\nwait\n`);
    chmodSync(script, 0o755);
    const proxy = await start({ gate: { ask: { timeout: '10m', notify: { command: [script] } } } });
    const held = exchange(proxy.url, get('a.example'));
    await waiting(proxy, 1);
    await until(() => existsSync(pids) && readFileSync(pids, 'utf8').endsWith('\n'));
    await admin(proxy, '/asks/1', { answer: 'yes' });
    expect(statusOf(await held)).toBe(200);
    expect(await proxy.program.end()).toMatchObject({ code: 0 });
    const isRunning = (pid: string): boolean =>
      existsSync(`/proc/${pid.trim()}/cmdline`) && readFileSync(`/proc/${pid.trim()}/cmdline`).length > 0;
    await until(() => !readFileSync(pids, 'utf8').split(' ').some(isRunning));
    await stop(proxy);
  });

  it('sends it to a URL with a signature; what fails is logged, and the question stays open', async () => {
    const received: { request: IncomingMessage; body: string }[] = [];
    await using hook = await NodeOrigin.start((request, response) => {
      let body = '';
      request
        .on('data', (chunk) => (body += String(chunk)))
        .on('end', () => {
          received.push({ request, body });
          if (body.includes('fails.example')) response.writeHead(500).end();
          else response.end('{"answer": "no"}');
        });
    });
    const proxy = await start({ gate: { ask: { timeout: '10m', notify: { url: `${hook.url}/ask`, secret: 'key' } } } });
    expect(statusOf(await exchange(proxy.url, get('a.example')))).toBe(403);
    const [{ request, body } = { request: undefined, body: '' }] = received;
    expect(request?.headers['x-signature-256']).toBe(
      `sha256=${createHmac('sha256', 'key').update(body).digest('hex')}`,
    );
    const held = exchange(proxy.url, get('fails.example'));
    await proxy.program.printed('gate.ask.notify.url has failed');
    expect(await waiting(proxy, 1)).toHaveLength(1);
    await admin(proxy, '/asks/2', { answer: 'yes' });
    expect(statusOf(await held)).toBe(200);
    await stop(proxy);
  });
});

describe('a yes for good', () => {
  it('writes the rule to the configuration, and reloads it', async () => {
    const upstream = await NodeOrigin.start((_request, answer) => answer.end('hello'));
    const file = join(directory, 'always.yaml');
    writeFileSync(
      file,
      `# ours\nupstream: ${upstream.url}\nlisten: { port: 0 }\nadmin: { port: 0, token: ${TOKEN} }\ngate: { ask: { notify: { command: ['true'] } } }\nrules:\n  - { hosts: ['*.example'], to: ask } # ask\n`,
    );
    await using program = new ProxyProgram({ args: ['--config', file] });
    const urls = await program.program.ready();
    const proxy = { url: urls['proxy'] ?? '', admin: urls['admin'] } as RunningProxy;
    const held = exchange(proxy.url, get('a.example'));
    await waiting(proxy, 1);
    expect((await admin(proxy, '/asks/1', { answer: 'yes', for: 'always' })).status).toBe(200);
    expect(statusOf(await held)).toBe(200);
    expect(readFileSync(file, 'utf8')).toContain(
      `rules:\n  - { hosts: [ a.example ], ports: [ 80 ], to: upstream }\n  - { hosts: [ '*.example' ], to: ask } # ask\n`,
    );
    await program.program.printed('configuration reloaded');
    const { rules } = (await admin(proxy, '/rules')).body as { rules: readonly { text: string }[] };
    expect(rules[0]?.text).toBe('hosts a.example, ports 80 to upstream');
    await upstream[Symbol.asyncDispose]();
  });
});
