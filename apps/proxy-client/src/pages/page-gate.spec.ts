import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageGate } from './page-gate.js';

let server: Server;
beforeAll(async () => {
  const gate = pageGate(['Proxy.lan'], (_request, response) => {
    response.end('page');
  });
  server = createServer({ requireHostHeader: false }, gate).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function ask(method: string, ...headers: string[]) {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1', method, headers, setHost: false, agent: false });
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
});
