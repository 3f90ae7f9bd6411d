import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageGate } from './page-gate.js';

let server: Server;
let token: string | undefined;
let isPacOpen = false;
beforeAll(async () => {
  const gate = pageGate(
    () => ({ allowedHosts: new Set(['proxy.lan']), token, isPacOpen }),
    (_request, response) => {
      response.end('page');
    },
  );
  server = createServer({ requireHostHeader: false }, gate).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function ask(method: string, ...headers: string[]) {
  return askFor('/', method, ...headers);
}

async function askFor(path: string, method: string, ...headers: string[]) {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1', path, method, headers, setHost: false, agent: false });
  sent.end(method === 'POST' ? 'x' : undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks = (await response.toArray()) as Buffer[];
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() };
}

describe('pageGate', () => {
  it.each(['127.0.0.1', 'localhost:1', '[::1]:2', 'proxy.lan:8080'])('serves Host %s', async (host) => {
    expect(await ask('GET', 'Host', host)).toMatchObject({ status: 200, body: 'page' });
  });

  it('serves HEAD', async () => {
    expect(await ask('HEAD', 'Host', 'localhost')).toMatchObject({ status: 200, body: '' });
  });

  it.each(['evil.example', 'evil.example:8080', '127.0.0.1.nip.example', ''])(
    'refuses Host %j (DNS rebinding) with 403',
    async (host) => {
      const answer = await ask('GET', 'Host', host);
      expect(answer).toMatchObject({ status: 403, headers: { 'cache-control': 'no-store' } });
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      expect(answer.body).toContain('listen.allowedHosts');
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])('refuses %s with 405 and Allow', async (method) => {
    expect(await ask(method, 'Host', 'localhost')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  it('refuses a request without Host or with two (RFC 9112, section 3.2) with 400', async () => {
    expect(await ask('GET')).toMatchObject({ status: 400, headers: { connection: 'close' } });
    expect(await ask('GET', 'Host', 'localhost', 'Host', 'localhost')).toMatchObject({ status: 400 });
  });

  describe('lets a connection be ended', () => {
    const end = async (...headers: string[]) =>
      askFor('/connections/17', 'DELETE', 'Host', '127.0.0.1:9090', ...headers);

    it.each([
      [],
      ['Sec-Fetch-Site', 'same-origin', 'Origin', 'http://127.0.0.1:9090'],
      ['Sec-Fetch-Site', 'none'],
      ['Origin', 'http://127.0.0.1:9090'],
    ])('by %s %s %s %s', async (...headers) => {
      expect(await end(...headers)).toMatchObject({ status: 200 });
    });

    it.each([
      ['Sec-Fetch-Site', 'cross-site'],
      ['Sec-Fetch-Site', 'same-site', 'Origin', 'http://127.0.0.1:9090'],
      ['Origin', 'http://127.0.0.1:8080'],
      ['Origin', 'https://127.0.0.1:9090'],
      ['Origin', 'null'],
      ['Sec-Fetch-Site', 'same-origin', 'Origin', 'http://evil.example'],
    ])('but not by a page of another origin: %s %s %s %s', async (...headers) => {
      const { status, body } = await end(...headers);
      expect([status, body]).toEqual([403, 'A page of another origin must not do this.\n']);
    });

    it('by no other method, and nothing else by that one', async () => {
      expect(await askFor('/connections/17', 'GET', 'Host', 'localhost')).toMatchObject({
        status: 405,
        headers: { allow: 'DELETE' },
      });
      expect(await askFor('/connections', 'DELETE', 'Host', 'localhost')).toMatchObject({ status: 405 });
    });
  });

  describe('where a token is asked for', () => {
    beforeAll(() => {
      token = 'right-token';
    });
    afterAll(() => {
      token = undefined;
    });
    const show = async (path: string, ...headers: string[]) => {
      const { status } = await askFor(path, 'GET', 'Host', 'localhost', ...headers);
      return status;
    };

    it.each([
      '/stats',
      '/health',
      '/listeners',
      '/upstreams',
      '/connections',
      '/failures',
      '/events',
      '/proxy.pac',
      '/docsx',
      '/pagesx',
      '//',
    ])('lets nobody see %s without it', async (path) => {
      expect(await show(path)).toBe(401);
      expect(await show(`${path}?token=right-token`)).toBe(401);
      for (const wrong of ['Bearer right-toke', 'Bearer right-token2', 'Bearer RIGHT-TOKEN', 'Basic right-token', '']) {
        expect(await show(path, 'Authorization', wrong)).toBe(401);
      }
      expect(await show(path, 'Authorization', 'Bearer right-token')).toBe(200);
      expect(await show(path, 'Authorization', 'bearer right-token')).toBe(200);
    });

    it.each([
      '/',
      '/pages/page-1a2b.js',
      '/readyz',
      '/metrics',
      '/metrics?x=1',
      '/docs',
      '/docs/swagger-ui.css',
      '/docs-json',
    ])('shows %s all the same', async (path) => {
      expect(await show(path)).toBe(200);
    });

    it('shows /proxy.pac where a proxy listener shows it to everybody', async () => {
      isPacOpen = true;
      expect([await show('/proxy.pac'), await show('/proxy.pacx'), await show('/connections')]).toEqual([
        200, 401, 401,
      ]);
      isPacOpen = false;
      expect(await show('/proxy.pac')).toBe(401);
    });

    it('says what is asked for', async () => {
      const { headers, body } = await askFor('/stats', 'GET', 'Host', 'localhost');
      expect(headers['www-authenticate']).toBe('Bearer realm="proxy-client admin"');
      expect(body).toContain('Authorization: Bearer TOKEN');
      expect(await askFor('/connections/1', 'DELETE', 'Host', 'localhost')).toMatchObject({ status: 401 });
    });
  });
});
