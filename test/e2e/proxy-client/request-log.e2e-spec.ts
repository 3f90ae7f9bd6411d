import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { CLOSED_PORT } from '../../support/closed-port.js';
import { freePort } from '../../support/free-port.js';
import { NodeOrigin } from '../../support/node-origin.js';
import { LogLines } from '../../support/proxy/log-lines.js';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { exchange, RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const RELOADED = 'configuration reloaded';
const REFUSED = 'configuration not reloaded: the previous one stays in force';
const BASIC = `Proxy-Authorization: Basic ${Buffer.from('ann:secret').toString('base64')}\r\n`;

/** A request came that is not answered. */
const silent = Promise.withResolvers<undefined>();
let origin: NodeOrigin;
let proxy: ProxyProgram;
let log: LogLines;
let admin: string;
const closed = `127.0.0.1:${CLOSED_PORT}`;
let base: Readonly<Record<string, unknown>>;
let ports: { readonly http: number; readonly socks5: number; readonly tunnel: number };

const urlOf = (mode: keyof typeof ports): string => `http://127.0.0.1:${ports[mode]}`;
const inDirectory = (name: string): string => join(dirname(proxy.configFile), name);

beforeAll(async () => {
  origin = await NodeOrigin.start((request, response) => {
    if (request.url === '/silent') silent.resolve(undefined);
    else response.end(`page ${request.url ?? ''}`);
  });
  origin.server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nswitched');
    socket.on('end', () => socket.end('and over'));
    socket.resume();
  });
  ports = { http: await freePort(), socks5: await freePort(), tunnel: await freePort() };
  base = {
    listeners: [
      { mode: 'http', port: ports.http, users: [{ name: 'ann', password: 'secret' }] },
      { mode: 'socks5', port: ports.socks5 },
      { mode: 'tunnel', port: ports.tunnel, to: origin.authority, via: 'out' },
    ],
    upstreams: { out: 'embedded' },
    rules: [
      { hosts: ['forbidden.example'], to: 'reject' },
      { ports: [Number(new URL(origin.url).port)], to: 'out' },
    ],
    admin: { port: 0, token: 'of-the-request-log-test' },
  };
  proxy = new ProxyProgram({ config: { ...base, log: { requests: 'requests.log' } } });
  ({ admin = '' } = await proxy.program.ready());
  log = new LogLines(proxy.program);
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await origin[Symbol.asyncDispose]();
});

async function reload(content: object | string, end = RELOADED): Promise<Readonly<Record<string, unknown>>> {
  writeFileSync(proxy.configFile, typeof content === 'string' ? content : JSON.stringify(content));
  proxy.program.process.kill('SIGHUP');
  return log.next(end);
}

async function get(url: string, fields = BASIC): Promise<number> {
  const { host } = new URL(url);
  const request = `GET ${url} HTTP/1.1\r\nHost: ${host}\r\n${fields}Connection: close\r\n\r\n`;
  return Number((await exchange(urlOf('http'), request)).slice(9, 12));
}

/** Asks for a page inside a tunnel, which has begun with `head` and is answered with what contains `answer`. */
async function tunnel(mode: keyof typeof ports, head: string, answer: string): Promise<string> {
  const connection = await RawConnection.open(urlOf(mode));
  if (head !== '') await connection.write(head).until(answer);
  connection.write(`GET /inside HTTP/1.1\r\nHost: ${origin.authority}\r\nConnection: close\r\n\r\n`);
  return connection.closed;
}

function socks(authority: string): string {
  const [host = '', port = ''] = authority.split(':');
  const name = Buffer.from([host.length, ...Buffer.from(host), Number(port) >> 8, Number(port) & 255]);
  return Buffer.concat([Buffer.from([5, 1, 0, 5, 1, 0, 3]), name]).toString('latin1');
}

type Line = Readonly<Record<string, unknown>>;

/** The lines of the log, once it has that number of lines, without values that differ in each run. */
async function lines(file: string, count: number): Promise<readonly Line[]> {
  const read = () => (existsSync(file) ? readFileSync(file, 'utf8') : '').split('\n').slice(0, -1);
  await until(() => read().length >= count);
  return read().map((text) => {
    const { time, ms, sent, received, ...fields } = JSON.parse(text) as Line;
    expect([Date.parse(time as string), ms, sent, received]).toEqual(Array(4).fill(expect.any(Number)));
    expect(fields['client']).toBe('127.0.0.1');
    return { ...fields, hasMoved: Number(sent) > 0 && Number(received) > 0 };
  });
}

async function lost(): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text();
  return Number(/^proxy_client_request_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
}

describe('the request log', () => {
  it('has one line for each request of each mode, at its end', async () => {
    const place = origin.authority;
    expect(await get(`${origin.url}/a?key=secret`)).toBe(200);
    expect(await get(`http://${closed}/b`)).toBe(502);
    expect(await get('http://forbidden.example/')).toBe(403);
    expect(await get(`http://me:pass@${place}/c`, '')).toBe(407);
    const connect = `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${BASIC}\r\n`;
    expect(await tunnel('http', connect, '\r\n\r\n')).toContain('page /inside');
    expect(await tunnel('socks5', socks(place), '\x05\x00\x05\x00')).toContain('page /inside');
    await exchange(urlOf('socks5'), socks(closed));
    expect(await tunnel('tunnel', '', '')).toContain('page /inside');
    await exchange(urlOf('http'), 'HELLO\r\n\r\n');

    const [http, socks5, raw] = (['http', 'socks5', 'tunnel'] as const).map((mode) => `127.0.0.1:${ports[mode]}`);
    const client = '127.0.0.1';
    const byAnn = { listener: http, client, user: 'ann' };
    const out = { upstream: 'out', rule: 2 };
    expect(await lines(inDirectory('requests.log'), 9)).toEqual([
      { ...byAnn, method: 'GET', target: `${origin.url}/a`, status: 200, ...out, hasMoved: true },
      {
        ...byAnn,
        ...{ method: 'GET', target: `http://${closed}/b`, status: 502, error: 'direct_refused', upstream: 'out' },
        hasMoved: false,
      },
      {
        ...byAnn,
        ...{ method: 'GET', target: 'http://forbidden.example/', status: 403, error: 'rejected', rule: 1 },
        refusal: expect.stringMatching(/rule 1 /) as unknown,
        hasMoved: false,
      },
      {
        ...{ listener: http, client, method: 'GET', target: `${origin.url}/c`, status: 407 },
        ...{ error: 'authentication_required', hasMoved: false },
      },
      { ...byAnn, method: 'CONNECT', target: place, status: 200, ...out, hasMoved: true },
      { listener: socks5, client, method: 'SOCKS5', target: place, status: 200, reply: 0, ...out, hasMoved: true },
      {
        ...{ listener: socks5, client, method: 'SOCKS5', target: closed, status: 502, reply: 5 },
        ...{ error: 'direct_refused', upstream: 'out', hasMoved: false },
      },
      { listener: raw, client, method: 'tunnel', target: place, status: 200, upstream: 'out', hasMoved: true },
      { listener: http, client, status: 400, error: 'bad_request', hasMoved: false },
    ]);
    expect(readFileSync(inDirectory('requests.log'), 'utf8')).not.toMatch(/secret|pass/);
  });

  it('records how a WebSocket, a tunnel and a request whose client disconnects ended', async () => {
    const before = (await lines(inDirectory('requests.log'), 9)).length;
    const host = `Host: ${origin.authority}\r\n`;
    const upgrade = `${host}${BASIC}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    const socket = await RawConnection.open(urlOf('http'));
    await socket.write(`GET ${origin.url}/socket HTTP/1.1\r\n${upgrade}`).until('switched');
    socket.write('more').half();
    await socket.closed;
    const broken = await RawConnection.open(urlOf('http'));
    await broken.write(`CONNECT ${origin.authority} HTTP/1.1\r\n${host}${BASIC}\r\n`).until('\r\n\r\n');
    broken.socket.resetAndDestroy();
    const left = await RawConnection.open(urlOf('http'));
    left.write(`GET ${origin.url}/silent HTTP/1.1\r\n${host}${BASIC}\r\n`);
    await silent.promise;
    left.socket.destroy();
    const [first, second, third] = (await lines(inDirectory('requests.log'), before + 3)).slice(before);
    expect(first).toMatchObject({ method: 'GET', target: `${origin.url}/socket`, status: 101, hasMoved: true });
    expect(first).not.toHaveProperty('error');
    expect(second).toMatchObject({ method: 'CONNECT', status: 200, error: 'broken' });
    expect(third).toMatchObject({ target: `${origin.url}/silent`, status: 499, error: 'client_left' });
  });

  it('continues in a new file after the old one was renamed, also when nothing else can be reloaded', async () => {
    for (const [content, end] of [
      [{ ...base, log: { requests: 'requests.log' } }, RELOADED],
      ['via: maybe', REFUSED],
    ] as const) {
      renameSync(inDirectory('requests.log'), inDirectory('requests.old'));
      await reload(content, end);
      await until(() => existsSync(inDirectory('requests.log')));
      await get(`${origin.url}/later`);
      expect(await lines(inDirectory('requests.log'), 1)).toHaveLength(1);
    }
  });

  it('stays as it was when another one cannot be opened', async () => {
    const { faults } = await reload({ ...base, log: { requests: '/nowhere/requests.log' } }, REFUSED);
    expect(faults).toEqual(['config.yaml: log.requests: is in a directory that does not exist (ENOENT)']);
    const before = (await lines(inDirectory('requests.log'), 1)).length;
    await get(`${origin.url}/again`);
    expect(await lines(inDirectory('requests.log'), before + 1)).toHaveLength(before + 1);
  });

  it('is written to standard output in the common log format, with queries, if configured', async () => {
    await reload({ ...base, log: { requests: 'stdout', format: 'common', queries: true } });
    await get(`${origin.url}/x?y=1`);
    const line = `127.0.0.1 - ann [`;
    await until(() => proxy.program.stdout.includes(line));
    const text = proxy.program.stdout.slice(proxy.program.stdout.indexOf(line));
    expect(text).toMatch(
      /^127\.0\.0\.1 - ann \[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \S+\/x\?y=1 HTTP\/1\.1" 200 \d+\n/,
    );
  });

  it('loses lines on a full disk, counts and reports them, and blocks nothing', async () => {
    await reload({ ...base, log: { requests: '/dev/full' } });
    for (let count = 0; count < 5; count += 1) expect(await get(`${origin.url}/${count}`)).toBe(200);
    await until(async () => (await lost()) === 5);
    const line = await log.next('lines of the request log could not be written and are lost');
    expect(line).toMatchObject({ level: 'warn', lines: 5 });
  });

  it('does not wait for its reader, and loses nothing that fits its buffer', async () => {
    const pipe = inDirectory('pipe');
    execFileSync('mkfifo', [pipe]);
    expect((await reload({ ...base, log: { requests: 'pipe' } }, REFUSED))['faults']).toEqual([
      'config.yaml: log.requests: is a pipe without a reader (ENXIO)',
    ]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const held = openSync(pipe, constants.O_WRONLY);
    await reload({ ...base, log: { requests: 'pipe' } });
    const before = await lost();
    const count = 500;
    // More than a pipe holds.
    const path = 'x'.repeat(200);
    const answers = await Promise.all(Array.from({ length: count }, async () => get(`${origin.url}/${path}`)));
    expect(new Set(answers)).toEqual(new Set([200]));
    const output = new Socket({ fd: reader, writable: false });
    let seen = 0;
    for await (const line of createInterface({ input: output })) {
      if ((JSON.parse(line) as Line)['target'] === `${origin.url}/${path}`) seen += 1;
      if (seen === count) break;
    }
    output.destroy();
    closeSync(held);
    expect(await lost()).toBe(before);
  });

  it('has its last lines when the program ends', async () => {
    await reload({ ...base, log: { requests: 'last.log' } });
    const open = await RawConnection.open(urlOf('tunnel'));
    await open.write(`GET /open HTTP/1.1\r\nHost: ${origin.authority}\r\n\r\n`).until('page /open');
    await get(`${origin.url}/last`);
    open.socket.destroy();
    expect(await proxy.program.end()).toEqual({ code: 0, signal: null });
    expect((await lines(inDirectory('last.log'), 2)).map(({ method }) => method)).toEqual(
      expect.arrayContaining(['GET', 'tunnel']),
    );
  });
});
