import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NamedUpstream, PacConfig } from '../config/proxy-client-config.js';
import { PacFile } from '../routing/rules/loaded-file.js';
import { FaultyServer, HttpProxy } from './testing/chain-peers.js';
import { upstreamsOf } from './testing/upstreams-of.js';
import type { Upstreams } from './upstreams.js';
import type { PacUpstream } from './pac-upstream.js';

let origin: Server;
let one: HttpProxy;
let two: HttpProxy;
let made: Upstreams | undefined;

beforeEach(async () => {
  one = await HttpProxy.start();
  two = await HttpProxy.start();
  origin = createServer((_incoming, response) => response.end('hello'));
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
});

afterEach(async () => {
  made?.close();
  await one[Symbol.asyncDispose]();
  await two[Symbol.asyncDispose]();
  origin.closeAllConnections();
  origin.close();
});

const target = () => ({ host: '127.0.0.1', port: (origin.address() as AddressInfo).port });

function start(answer: string, settings: Partial<PacConfig> = {}, others: readonly NamedUpstream[] = []): PacUpstream {
  const file = new PacFile({ source: { file: '/a.pac', mark: '' }, name: 'a.pac', setBy: { source: 'a', key: 'b' } });
  file.use(`function FindProxyForURL(url, host) { return ${answer}; }`, new Date(0));
  const pac = { name: 'company', kind: 'pac', file, resolves: false, direct: false, ...settings } as const;
  made = upstreamsOf({ upstreams: [pac, ...others], own: [{ address: '127.0.0.1', port: 9 }] }).upstreams;
  return made.script('company')!;
}

/** Connects, and returns the name of the upstream that did. */
async function through(upstream: PacUpstream): Promise<string> {
  return new Promise((resolve, reject) => {
    upstream.begin(
      { target: target(), client: {} },
      {
        connected: ({ socket }, used) => {
          socket.destroy();
          resolve(used.name);
        },
        failed: reject,
      },
    );
  });
}

describe('PacUpstream', () => {
  it('connects through what the script returns', async () => {
    const name = await through(start(`'PROXY 127.0.0.1:${one.port}'`));
    expect([name, one.requests]).toEqual([`http://127.0.0.1:${one.port}`, [`CONNECT 127.0.0.1:${target().port}`]]);
  });

  it('passes over servers that do not work, in their order', async () => {
    await using broken = await FaultyServer.start('reset');
    const answer = `'PROXY 127.0.0.1:1; SOCKS5 127.0.0.1:${broken.port}; PROXY 127.0.0.1:${two.port}; PROXY 127.0.0.1:${one.port}'`;
    expect(await through(start(answer))).toBe(`http://127.0.0.1:${two.port}`);
    expect(one.requests).toEqual([]);
  });

  it('uses the upstream of the configuration at the same address, with its login', async () => {
    one.authorization = `Basic ${Buffer.from('me:s3cret').toString('base64')}`;
    const credentials = { username: 'me', password: 's3cret' };
    const corp = {
      name: 'corp',
      kind: 'http',
      host: '127.0.0.1',
      port: one.port,
      plain: 'forward',
      credentials,
    } as const;
    expect(await through(start(`'PROXY 127.0.0.1:${one.port}'`, {}, [corp]))).toBe('corp');
  });

  it.each<readonly [string, string, RegExp]>([
    ['an exception', '(function () { throw new Error("x") })()', /threw an exception/],
    ['no text', '7', /returned no text/],
    ['nothing', '""', /named no proxy that it supports/],
    ['an unknown kind', '"SOCKS4 a:1"', /named no proxy that it supports/],
    ['a direct connection', '"DIRECT"', /chose a direct connection, which is off/],
    ['this proxy itself', '"PROXY 127.0.0.1:9"', /named the proxy itself/],
    ['an endless loop', '(function () { for (;;); })()', /took too long/],
  ])('fails with its own text after %s, and does not connect', async (_title, answer, text) => {
    await expect(through(start(answer))).rejects.toMatchObject({
      category: 'pac_failed',
      text: expect.stringMatching(text) as string,
    });
    await expect(through(start(answer))).rejects.toMatchObject({
      facts: { detail: expect.stringMatching(/^PAC: /) as string },
    });
  });

  it('connects directly only if that is allowed', async () => {
    const upstream = start('"PROXY 127.0.0.1:1; DIRECT"');
    await expect(through(upstream)).rejects.toMatchObject({ category: 'upstream_unreachable' });
    const direct = start('"DIRECT"', { direct: true });
    // The rules name no network of this machine.
    await expect(through(direct)).rejects.toMatchObject({ category: 'direct_prohibited' });
  });

  it('has a pool key for what it has chosen a short time ago, and otherwise one of its own', async () => {
    const upstream = start(`'PROXY 127.0.0.1:${one.port}'`);
    const query = { target: target(), client: {} };
    const unknown = upstream.keyFor(query, 'a:1');
    expect(unknown).toContain('pac');
    const { way } = await upstream.choose(query);
    expect(upstream.keyFor(query, 'a:1')).toBe((way as PacUpstream).keyFor(query, 'a:1'));
  });

  it('evaluates the new script after a refresh', async () => {
    const upstream = start(`'PROXY 127.0.0.1:${one.port}'`);
    await through(upstream);
    upstream.config.file.use(`function FindProxyForURL() { return 'PROXY 127.0.0.1:${two.port}'; }`, new Date(0));
    expect(await through(upstream)).toBe(`http://127.0.0.1:${two.port}`);
  });

  it('shows its last answer, and counts as ready', async () => {
    const upstream = start('"PROXY a:1; " + url');
    await upstream.choose({ target: { host: 'A.example', port: 443 }, client: {} });
    expect(made!.status().scripts).toEqual([
      {
        name: 'company',
        source: 'a.pac',
        refresh_seconds: null,
        checked_at: new Date(0).toISOString(),
        failures: 0,
        last_error: null,
        last_answer: { url: 'https://A.example/', text: 'PROXY a:1; https://A.example/' },
      },
    ]);
    expect(await made!.areReady()).toBe(true);
  });

  it('reports nothing after it was aborted', async () => {
    const upstream = start(`'PROXY 127.0.0.1:${one.port}'`);
    const outcomes: string[] = [];
    const attempt = upstream.begin(
      { target: target(), client: {} },
      { connected: () => outcomes.push('connected'), failed: () => outcomes.push('failed') },
    );
    attempt.abort();
    await upstream.choose({ target: target(), client: {} });
    expect([outcomes, one.requests]).toEqual([[], []]);
  });
});
