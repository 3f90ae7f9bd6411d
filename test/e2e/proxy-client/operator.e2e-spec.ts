import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { CLOSED_PORT } from '../../support/closed-port.js';
import { MortalUpstream } from '../../support/proxy/mortal-upstream.js';
import { metricProblems } from '../../support/metric-names.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

type Fields = Readonly<Record<string, unknown>>;
type Row = Fields & { readonly id: string; readonly target: string };

let attic: MortalUpstream;
let cellar: MortalUpstream;
let origin: Server;
let host: string;
let proxy: RunningProxy;
const sockets: Socket[] = [];

beforeAll(async () => {
  [attic, cellar] = await Promise.all([MortalUpstream.start(), MortalUpstream.start()]);
  origin = createServer((request, response) => {
    if (request.url === '/slow') response.write('begun');
    else response.end('hello');
  }).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  host = `127.0.0.1:${(origin.address() as AddressInfo).port}`;
  proxy = await ProxyProgram.start({
    upstream: undefined,
    listen: undefined,
    listeners: [
      { mode: 'http', port: 0 },
      { mode: 'http', port: 0, users: ['ana', 'ben'].map((name) => ({ name, password: 's3cret' })) },
    ],
    upstreams: {
      any: { of: ['attic', 'cellar'], pick: 'failover', check: { every: '200ms' } },
      attic: { host: '127.0.0.1', port: attic.port },
      cellar: { host: '127.0.0.1', port: cellar.port },
      gone: { host: '127.0.0.1', port: CLOSED_PORT },
    },
    rules: [
      { hosts: ['ads.test'], to: 'reject' },
      { hosts: ['denied.test'], to: 'gone' },
      { hosts: ['127.0.0.1'], ports: [Number(host.split(':')[1])], to: 'any' },
    ],
    admin: { port: 0, token: TOKEN },
  });
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await proxy[Symbol.asyncDispose]();
  origin.closeAllConnections();
  origin.close();
  await Promise.all([attic, cellar].map((each) => each[Symbol.asyncDispose]()));
});

const TOKEN = 'the-token-of-this-test';

interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function ask(path: string, init: Request = {}): Promise<Response> {
  return fetch(`${proxy.admin!}${path}`, { ...init, headers: { Authorization: `Bearer ${TOKEN}`, ...init.headers } });
}

async function read<T = Fields>(path: string, init: Request = {}): Promise<T> {
  const answer = await ask(path, init);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function get(url: string): Promise<string> {
  const { host: authority } = new URL(url);
  return exchange(proxy.url, `GET ${url} HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`);
}

/** Opens a tunnel to the origin as a user. */
async function openTunnel(user: string): Promise<Socket> {
  const { listeners } = await read<{ listeners: { port: number }[] }>('/listeners');
  const socket = connect(listeners[1]!.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  const credentials = Buffer.from(`${user}:s3cret`).toString('base64');
  socket.write(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  expect(head.toString()).toContain(' 200 ');
  return socket;
}

async function connections(query: string): Promise<Row[]> {
  return (await read<{ connections: Row[] }>(`/connections?${query}`)).connections;
}

describe('the questions of an operator', () => {
  it('why denied.test fails: the failure names upstream and rule, in /failures and in the events', async () => {
    const events = (await ask('/events')).body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const follow = async () => {
      while (!text.includes('denied.test:80')) text += (await events.read()).value ?? '';
    };
    text += (await events.read()).value ?? '';
    expect(await get('http://denied.test/')).toMatch(/^HTTP\/1\.1 502 /);
    await follow();
    await events.cancel();
    const named = { category: 'upstream_unreachable', target: 'denied.test:80', upstream: 'gone', rule: 2 };
    const event = text.split('\n\n').find((each) => each.includes('denied.test:80')) ?? '';
    expect(event).toContain('event: problems\n');
    expect(JSON.parse(event.slice(event.indexOf('data: ') + 6))).toMatchObject({ failures: [named] });
    const { failures, last_minute: lastMinute } = await read<{ failures: Fields[]; last_minute: Fields }>('/failures');
    expect(failures[0]).toMatchObject({ ...named, method: 'GET', client: '127.0.0.1' });
    expect(lastMinute).toMatchObject({ failures: 1, categories: [{ category: 'upstream_unreachable', count: 1 }] });
  });

  it('why ads.test fails: rejected requests are listed with the rule, and are no failures', async () => {
    expect(await get('http://ads.test/x')).toMatch(/^HTTP\/1\.1 403 /);
    const tunnel = await exchange(proxy.url, 'CONNECT ads.test:443 HTTP/1.1\r\nHost: ads.test:443\r\n\r\n');
    expect(tunnel).toMatch(/^HTTP\/1\.1 403 /);
    const { rejections, failures } = await read<Record<'rejections' | 'failures', Fields[]>>('/failures');
    const rejected = { category: 'rejected', rule: 1, rule_text: 'hosts ads.test to reject' };
    expect(rejections).toMatchObject([
      { ...rejected, method: 'CONNECT', target: 'ads.test:443' },
      { ...rejected, method: 'GET', target: 'ads.test:80' },
    ]);
    expect(failures.some(({ category }) => category === 'rejected')).toBe(false);
    const { rules } = await read<{ rules: Fields[]; default: Fields }>('/rules');
    expect(rules.map(({ number, to, hits }) => [number, to, hits])).toEqual([
      [1, 'reject', 2],
      [2, 'gone', 1],
      [3, 'any', 0],
    ]);
  });

  it('which way a request would go: the same decision as the command', async () => {
    const explained = await read<{ lines: string[] }>('/explain?target=ads.test:443&user=ana');
    expect(explained).toMatchObject({ decision: 'rejected', rule: 1, upstream: null, user: 'ana' });
    await using command = new ProxyProgram({
      config: readFileSync(proxy.configFile, 'utf8'),
      args: ['--explain', 'ads.test:443', '--user', 'ana'],
    });
    expect((await command.outcome()).stdout.trim().split('\n')).toEqual(explained.lines);
    const grouped = await read(`/explain?target=${host}`);
    expect(grouped).toMatchObject({ decision: 'forwarded', rule: 3, upstream: 'any', member: 'attic' });
    const own = new URL(proxy.admin!).host;
    expect(await read(`/explain?target=${own}`)).toMatchObject({ decision: 'own_address', rule: null });
  });

  it('whether it would work: each hop with its time, as it is checked', async () => {
    const answer = await ask(`/check?target=${host}`, { method: 'POST' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const events = (await answer.text()).trimEnd().split('\n\n');
    const data = events.map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Fields);
    expect(data.map(({ upstream = '', step = 'end', result }) => [upstream, step, result])).toEqual([
      [null, 'route', 'ok'],
      ...['attic', 'cellar'].flatMap((name) => ['tcp', 'authentication', 'connect'].map((step) => [name, step, 'ok'])),
      ['', 'end', 'ok'],
    ]);
    expect(data.every(({ ms }) => Number(ms) >= 0)).toBe(true);
    const refused = await (await ask('/check?target=denied.test:80', { method: 'POST' })).text();
    expect(refused).toContain('"step":"tcp","upstream":"gone","result":"failed"');
    // The state of a running upstream does not depend on a check.
    expect(await stateOfUpstream('attic')).toBe('up');
  });

  it('what has happened: finished connections, by upstream, rule and outcome', async () => {
    expect(await get(`http://${host}/`)).toMatch(/^HTTP\/1\.1 200 [^]*hello$/);
    const finished = { state: 'finished', upstream: 'attic', rule: 3, status: 200, error: null, method: 'GET' };
    await until(async () => (await connections('state=finished&rule=3')).length > 0);
    const [row] = await connections('state=finished&sort=ended&rule=3&upstream=attic&user=');
    expect(row).toMatchObject({ ...finished, target: host, client: '127.0.0.1' });
    expect([Number(row?.['bytes_received']) > 0, Number(row?.['age_ms']) >= 0]).toEqual([true, true]);
    const failed = await connections('state=failed&upstream=gone');
    expect(failed).toMatchObject([{ target: 'denied.test:80', status: 502, error: 'upstream_unreachable', rule: 2 }]);
    expect(await connections('state=failed&rule=3')).toEqual([]);
  });

  it('end everything of one user, and nothing of others', async () => {
    const [first, second, other] = [await openTunnel('ana'), await openTunnel('ana'), await openTunnel('ben')];
    expect((await connections('user=ana')).map(({ state }) => state)).toEqual(['open', 'open']);
    const crossSite = { method: 'DELETE', headers: { Origin: 'http://evil.example' } };
    expect((await ask('/connections?user=ana', crossSite)).status).toBe(403);
    expect((await fetch(`${proxy.admin!}/connections?user=ana`, { method: 'DELETE' })).status).toBe(401);
    expect(await read('/connections?user=ana&state=open', { method: 'DELETE' })).toEqual({ ended: 2 });
    await until(() => first.destroyed && second.destroyed);
    expect(other.destroyed).toBe(false);
    await until(async () => (await connections('state=finished&user=ana')).length === 2);
    expect(await connections('user=ana')).toEqual([]);
    const [ended] = await connections('state=finished&user=ana');
    expect(ended).toMatchObject({ method: 'CONNECT', status: 200, error: 'ended_by_operator' });
    other.destroy();
  });

  it('how it was before the page was opened: samples of the last hour', async () => {
    const { interval_ms: interval, samples } = await read<{ interval_ms: number; samples: Fields[] }>('/history');
    expect(interval).toBe(10_000);
    const sum = (name: string) => samples.reduce((total, sample) => total + Number(sample[name]), 0);
    const { successful_requests: succeeded, failed_requests: failed } = await read('/stats');
    expect([sum('successful_requests'), sum('failed_requests')]).toEqual([succeeded, failed]);
    expect(sum('rejected_requests')).toBe(2);
  });

  it('use another member, until automatic', async () => {
    const select = async (member: string | null) =>
      read<{ groups: Fields[] }>('/upstreams/any/member', {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ member }),
      });
    expect((await select('cellar')).groups).toMatchObject([{ selected: 'cellar', current: 'cellar' }]);
    await get(`http://${host}/second`);
    await until(async () => (await connections('state=finished&upstream=cellar')).length > 0);
    const metrics = await (await ask('/metrics')).text();
    expect(metrics).toContain('proxy_client_group_member_selected{group="any",member="cellar"} 1');
    expect(metricProblems(metrics)).toEqual([]);
    // A reload keeps it.
    proxy.program.process.kill('SIGHUP');
    await until(() => proxy.program.stdout.includes('configuration reloaded'));
    expect((await read<{ groups: Fields[] }>('/upstreams')).groups).toMatchObject([{ selected: 'cellar' }]);
    expect((await select(null)).groups).toMatchObject([{ selected: null, current: 'attic' }]);
    const unknown = await ask('/upstreams/any/member', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: '{"member":"gone"}',
    });
    expect(unknown.status).toBe(404);
  });

  it('which upstream is slow, and which has been down since when', async () => {
    const test = async () => read<{ tests: Fields[] }>('/upstreams/any/test', { method: 'POST' });
    expect((await test()).tests).toMatchObject([
      { upstream: 'attic', result: 'ok', ms: expect.any(Number) },
      { upstream: 'cellar', result: 'ok', ms: expect.any(Number) },
    ]);
    await attic.kill();
    expect((await test()).tests).toMatchObject([{ result: 'failed', category: 'upstream_unreachable' }, {}]);
    const { upstreams } = await read<{ upstreams: Fields[] }>('/upstreams');
    const down = upstreams.find(({ name }) => name === 'attic');
    expect(down?.['down_since']).toBe(down?.['since']);
    await attic.revive();
    await until(async () => (await stateOfUpstream('attic')) === 'up');
  });
});

async function stateOfUpstream(name: string): Promise<unknown> {
  const { upstreams } = await read<{ upstreams: Fields[] }>('/upstreams');
  return upstreams.find((each) => each['name'] === name)?.['state'];
}
