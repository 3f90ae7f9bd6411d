import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getThroughProxy } from '../support/get-through-proxy.js';
import { NodeOrigin } from '../support/node-origin.js';
import { squid, tinyproxy } from '../support/peers/http-peers.js';
import { CREDENTIALS, type ProxyPeer, type ProxyPeerKind } from '../support/peers/running-peer.js';
import { microsocks } from '../support/peers/socks-peers.js';
import { ProxyProgram } from '../support/proxy/proxy-program.js';
import { RawConnection } from '../support/raw-http.js';

let origin: NodeOrigin;
let host: string;
beforeAll(async () => {
  origin = await NodeOrigin.start((request, response) => response.end(`origin ${request.url ?? ''}`));
  host = new URL(origin.url).host;
});
afterAll(async () => origin[Symbol.asyncDispose]());

/** The tests with peers of these kinds, or one line that names the missing one. */
function withPeers(title: string, kinds: readonly ProxyPeerKind[], tests: (peers: ProxyPeer[]) => void): void {
  const missing = kinds.map((kind) => kind.missing).find((each) => each !== undefined);
  describe(missing === undefined ? title : `${title} (skipped: ${missing})`, () => {
    const peers: ProxyPeer[] = [];
    if (missing !== undefined) {
      it.skip('needs that server', () => undefined);
      return;
    }
    beforeAll(async () => {
      for (const kind of kinds) peers.push(await kind.start());
    });
    afterAll(async () => {
      for (const peer of peers) await peer[Symbol.asyncDispose]();
    });
    tests(peers);
  });
}

/** The head of the answer to CONNECT, and what the target sends through the tunnel. */
async function tunnel(url: string, target: string): Promise<{ readonly head: string; readonly body: string }> {
  const connection = await RawConnection.open(url);
  try {
    const head = await connection.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`).until('\r\n\r\n');
    if (!head.startsWith('HTTP/1.1 200')) return { head, body: '' };
    const request = `GET /tunnel HTTP/1.1\r\nHost: ${target}\r\nConnection: close\r\n\r\n`;
    return { head, body: await connection.write(request).until('origin /tunnel') };
  } finally {
    connection.socket.destroy();
  }
}

/** Expects several plain requests and tunnels to work, also after the proxy has learned what the servers accept. */
async function expectBoth(url: string): Promise<void> {
  for (const count of [1, 2, 3]) {
    const page = await getThroughProxy(url, `http://${host}/${count}`);
    expect(page).toEqual({ status: 200, body: `origin /${count}` });
    const { head, body } = await tunnel(url, host);
    expect([head, body]).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 200 /),
      expect.stringContaining('origin /tunnel'),
    ]);
  }
}

const KINDS = [
  { kind: tinyproxy(false), credentials: null },
  { kind: tinyproxy(true), credentials: CREDENTIALS },
  { kind: squid(false), credentials: null },
  { kind: squid(true), credentials: CREDENTIALS },
];

describe.each(KINDS)('proxy-client through $kind.name', ({ kind, credentials }) => {
  const upstream = ([peer]: readonly ProxyPeer[], others: object | null = credentials) => {
    return { protocol: 'http', host: '127.0.0.1', port: peer!.port, ...others };
  };

  withPeers('alone', [kind], (peers) => {
    it('forwards plain requests and tunnels', async () => {
      await using proxy = await ProxyProgram.start({ upstream: upstream(peers) });
      await expectBoth(proxy.url);
    });

    it('sends plain requests through tunnels with plain: connect', async () => {
      await using proxy = await ProxyProgram.start({ upstream: { ...upstream(peers), plain: 'connect' } });
      await expectBoth(proxy.url);
    });

    it('reports that the server cannot connect to the target', async () => {
      await using proxy = await ProxyProgram.start({ upstream: upstream(peers) });
      const { head } = await tunnel(proxy.url, '127.0.0.1:1');
      expect(head).toMatch(/^HTTP\/1\.1 502 /);
      expect(head).toContain('error=destination_unavailable');
      const { status } = await getThroughProxy(proxy.url, 'http://127.0.0.1:1/');
      expect([500, 502, 503]).toContain(status);
    });

    it('passes --check step by step', async () => {
      await using check = new ProxyProgram({ config: { upstream: upstream(peers) }, args: ['--check', host] });
      const { code, stdout } = await check.outcome();
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^connect +ok +\S+$/m)]);
    });

    if (credentials === null) return;
    it.each([null, { ...CREDENTIALS, password: 'wrong' }])(
      'reports that the credentials %j are not accepted, and passes no 407 on',
      async (wrong) => {
        await using proxy = await ProxyProgram.start({ upstream: upstream(peers, wrong) });
        const { head } = await tunnel(proxy.url, host);
        expect(head).toMatch(/^HTTP\/1\.1 502 /);
        expect(head).toContain('error=proxy_configuration_error');
        // tinyproxy answers 401 to a wrong password, which could also be the origin's.
        expect([401, 502]).toContain((await getThroughProxy(proxy.url, `http://${host}/`)).status);
      },
    );
  });

  withPeers('before and behind microsocks, and between two', [microsocks(false), kind, microsocks(true)], (peers) => {
    const socks = (index: number, others: object = {}) => ({
      ...{ host: '127.0.0.1', port: peers[index]!.port },
      ...others,
    });
    it.each(['before', 'behind', 'between'] as const)('forwards plain requests and tunnels: %s', async (place) => {
      const server = upstream(peers.slice(1));
      const upstreams = {
        before: { far: socks(2, { ...CREDENTIALS, via: 'near' }), near: server },
        behind: { far: { ...server, via: 'near' }, near: socks(0) },
        between: {
          far: socks(2, { ...CREDENTIALS, via: 'middle' }),
          middle: { ...server, via: 'near' },
          near: socks(0),
        },
      }[place];
      await using proxy = await ProxyProgram.start({ upstream: undefined, upstreams });
      await expectBoth(proxy.url);
    });
  });
});

withPeers('squid behind tinyproxy behind microsocks', [microsocks(false), tinyproxy(true), squid(true)], (peers) => {
  const upstreams = () => ({
    far: { ...at(2), protocol: 'http', ...CREDENTIALS, via: 'middle' },
    middle: { ...at(1), protocol: 'http', ...CREDENTIALS, via: 'near' },
    near: at(0),
  });
  const at = (index: number) => ({ host: '127.0.0.1', port: peers[index]!.port });

  it('forwards plain requests and tunnels', async () => {
    await using proxy = await ProxyProgram.start({ upstream: undefined, upstreams: upstreams() });
    await expectBoth(proxy.url);
  });

  it.each(['far', 'middle', 'near'] as const)('names the hop %s when it is not there', async (hop) => {
    const broken = { ...upstreams(), [hop]: { ...upstreams()[hop], port: 1 } };
    await using proxy = await ProxyProgram.start({ upstream: undefined, upstreams: broken });
    const { head } = await tunnel(proxy.url, host);
    expect(head).toMatch(/^HTTP\/1\.1 502 /);
    expect(head).toContain(`hop ${hop}`);
  });
});

withPeers('squid that allows CONNECT to port 443 only', [squid(false, '443')], (peers) => {
  it('serves plain requests, and refuses tunnels by name', async () => {
    const upstream = { protocol: 'http', host: '127.0.0.1', port: peers[0]!.port };
    await using proxy = await ProxyProgram.start({ upstream });
    expect((await getThroughProxy(proxy.url, `http://${host}/plain`)).body).toBe('origin /plain');
    const { head } = await tunnel(proxy.url, host);
    expect(head).toMatch(/^HTTP\/1\.1 502 /);
    expect(head).toContain('error=http_request_denied');
  });
});
