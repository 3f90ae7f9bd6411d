import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getThroughProxy } from '../support/get-through-proxy.js';
import { CREDENTIALS, type ProxyPeer, type ProxyPeerKind } from '../support/peers/running-peer.js';
import { dante, microsocks, sshDynamic } from '../support/peers/socks-peers.js';
import { ProxyProgram } from '../support/proxy/proxy-program.js';
import { RawConnection } from '../support/raw-http.js';

interface Upstream {
  readonly kind: ProxyPeerKind;
  readonly credentials?: typeof CREDENTIALS;
  /** What a refusing target looks like. */
  readonly refused: { readonly key: string; readonly error: string };
}

const refused = { key: 'connection_refused', error: 'connection_refused' };
const upstreams: readonly Upstream[] = [
  { kind: microsocks(false), refused },
  { kind: microsocks(true), credentials: CREDENTIALS, refused },
  { kind: dante(false), refused },
  { kind: dante(true), credentials: CREDENTIALS, refused },
  // ssh does not reply, it closes.
  { kind: sshDynamic(), refused: { key: 'connection_failed', error: 'connection_terminated' } },
];

let origin: Server;
let host: string;
beforeAll(async () => {
  origin = createServer((request, response) => response.end(`origin ${request.url ?? ''}`)).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  host = `127.0.0.1:${(origin.address() as AddressInfo).port}`;
});
afterAll(() => {
  origin.close();
  origin.closeAllConnections();
});

async function stats(url: string) {
  return (await (await fetch(`${url}/stats`)).json()) as {
    successful_requests: number;
    failed_requests: number;
    socks5_errors: Record<string, number>;
  };
}

/** The head of the answer to CONNECT. */
async function connectThrough(url: string, target: string): Promise<string> {
  const connection = await RawConnection.open(url);
  const head = await connection.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`).until('\r\n\r\n');
  connection.socket.destroy();
  return head;
}

for (const { kind, credentials, refused: expected } of upstreams) {
  if (kind.missing !== undefined) {
    describe(`proxy-client through ${kind.name} (skipped: ${kind.missing})`, () => {
      it.skip('needs that server', () => undefined);
    });
    continue;
  }

  describe(`proxy-client through ${kind.name}`, () => {
    let peer: ProxyPeer;
    beforeAll(async () => {
      peer = await kind.start();
    });
    afterAll(async () => peer[Symbol.asyncDispose]());

    const settings = (password = credentials?.password) => ({
      upstream: { host: '127.0.0.1', port: peer.port, ...(credentials && { ...credentials, password }) },
    });

    it('forwards requests and tunnels repeatedly, also after it has learned the handshake', async () => {
      await using proxy = await ProxyProgram.start(settings());
      for (let count = 1; count <= 5; count += 1) {
        expect(await getThroughProxy(proxy.url, `http://${host}/${count}`)).toEqual({
          status: 200,
          body: `origin /${count}`,
        });
        expect(await connectThrough(proxy.url, host)).toMatch(/^HTTP\/1\.1 200 /);
      }
      expect(await stats(proxy.url)).toMatchObject({ successful_requests: 10, failed_requests: 0 });
    });

    it('reports that the target refuses', async () => {
      await using proxy = await ProxyProgram.start(settings());
      const head = await connectThrough(proxy.url, '127.0.0.1:1');
      expect(head).toMatch(/^HTTP\/1\.1 502 /);
      expect(head).toContain(`error=${expected.error}`);
      expect((await stats(proxy.url)).socks5_errors[expected.key]).toBe(1);
    });

    it('passes --check step by step', async () => {
      await using check = new ProxyProgram({ config: settings(), args: ['--check', host] });
      const { code, stdout } = await check.outcome();
      expect([code, stdout.replaceAll(/ +/g, ' ').split('\n')]).toEqual([
        0,
        [
          'configuration ok config.yaml',
          `tcp ok 127.0.0.1:${peer.port}`,
          `authentication ok ${credentials === undefined ? 'none required' : 'by user name and password'}`,
          `connect ok ${host}`,
          '',
        ],
      ]);
    });

    if (credentials !== undefined) {
      it('reports that the password is wrong, as 502 and by exit code 4', async () => {
        await using proxy = await ProxyProgram.start(settings('wrong'));
        const head = await connectThrough(proxy.url, host);
        expect(head).toMatch(/^HTTP\/1\.1 502 /);
        expect(head).toContain('error=proxy_configuration_error');
        expect((await stats(proxy.url)).socks5_errors).toMatchObject({ auth_failed: 1 });
        await using check = new ProxyProgram({ config: settings('wrong'), args: ['--check'] });
        expect((await check.outcome()).code).toBe(4);
      });
    }
  });
}
