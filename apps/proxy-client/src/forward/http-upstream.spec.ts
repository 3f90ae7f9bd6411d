import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { HttpUpstreamConfig } from '../config/proxy-client-config.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';
import { HttpProxy } from '../upstream/testing/chain-peers.js';
import { readAll } from '../tunnel/testing/open-tunnel.js';

let upstream: HttpProxy;
let origins: Server[];
let proxy: RunningProxy | undefined;

beforeEach(async () => {
  upstream = await HttpProxy.start();
  origins = [0, 1].map((number) =>
    createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const { method = '', url = '', headers } = incoming;
          response.end(JSON.stringify({ number, method, url, headers, body: Buffer.concat(chunks).toString() }));
        });
    }),
  );
  for (const origin of origins) {
    origin.on('upgrade', (_incoming, socket: Socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello');
    });
    origin.listen(0, '127.0.0.1');
    await once(origin, 'listening');
  }
});

afterEach(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  for (const origin of origins) {
    origin.closeAllConnections();
    origin.close();
  }
});

const portOf = (number: number) => (origins[number]!.address() as AddressInfo).port;

async function start(settings: Partial<HttpUpstreamConfig> = {}): Promise<RunningProxy> {
  const config = { kind: 'http', host: '127.0.0.1', port: upstream.port, plain: 'forward', ...settings } as const;
  proxy = await RunningProxy.start({ upstream: config });
  return proxy;
}

/** Sends requests, one after the other, and returns the answers as one text. */
async function ask(...requests: readonly string[]): Promise<string> {
  const client = proxy!.connect();
  client.write(requests.join(''));
  return (await readAll(client)).toString();
}

function get(number: number, fields = 'Connection: close\r\n', path = '/path?query'): string {
  return `GET http://127.0.0.1:${portOf(number)}${path} HTTP/1.1\r\nHost: 127.0.0.1:${portOf(number)}\r\n${fields}\r\n`;
}

describe('an HTTP proxy as the upstream', () => {
  it('receives plain requests in absolute-form on one connection for all origins', async () => {
    await start();
    const client = proxy!.connect();
    client.write(get(0, ''));
    await once(client, 'data');
    client.write(get(1));
    expect((await readAll(client)).toString()).toContain('"number":1');
    const urls = [0, 1].map((number) => `GET http://127.0.0.1:${portOf(number)}/path?query`);
    expect([upstream.requests, upstream.connections]).toEqual([urls, 1]);
  });

  it('receives the credentials of the configuration and none of the client', async () => {
    const credentials = { username: 'me', password: 's3:cret' };
    upstream.authorization = `Basic ${Buffer.from('me:s3:cret').toString('base64')}`;
    await start({ credentials });
    const answer = await ask(get(0, 'Proxy-Authorization: Basic Zm9yOnVz\r\nConnection: close\r\n'));
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).not.toMatch(/proxy-authorization|s3/i);
  });

  it('receives bodies of known and of unknown length', async () => {
    await start();
    const head = `POST http://127.0.0.1:${portOf(0)}/ HTTP/1.1\r\nHost: 127.0.0.1:${portOf(0)}\r\nConnection: close\r\n`;
    const large = 'b'.repeat(300_000);
    expect(await ask(`${head}Content-Length: ${large.length}\r\n\r\n${large}`)).toContain(large);
    expect(await ask(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`)).toContain('"body":"hello"');
  });

  it.each([
    [undefined, 'upstream_auth_required'],
    [{ username: 'me', password: 'wrong' }, 'auth_failed'],
  ])('does not ask the client for the credentials of the upstream: %j', async (credentials, category) => {
    upstream.authorization = 'Basic x';
    await start({ ...(credentials && { credentials }) });
    const answer = await ask(get(0));
    expect(answer).toMatch(/^HTTP\/1.1 502 /);
    expect(answer).toContain('details="hop upstream: HTTP 407"');
    expect(answer).not.toMatch(/Proxy-Authenticate|the text of the peer/i);
    expect(proxy!.log).toContainEqual(expect.objectContaining({ category, upstream: 'upstream' }));
  });

  it('is reported with what helps if it offers only NTLM, to clients and in the log', async () => {
    upstream.authorization = 'NTLM x';
    upstream.offers = ['NTLM'];
    await start({ credentials: { username: 'me', password: 's3cret' } });
    const text = 'The upstream server offers only NTLM: run px or cntlm and name it as the upstream.';
    const connect = `CONNECT 127.0.0.1:${portOf(0)} HTTP/1.1\r\nHost: 127.0.0.1:${portOf(0)}\r\nConnection: close\r\n\r\n`;
    expect(await ask(get(0, 'Connection: close\r\n'))).toMatch(
      /^HTTP\/1.1 502 [^]*HTTP 407, offers NTLM[^]*offers only NTLM: run px/,
    );
    expect(await ask(connect)).toContain(text);
    expect(proxy!.log).toContainEqual(expect.objectContaining({ category: 'upstream_scheme' }));
  });

  it('receives a CONNECT for requests that change the protocol', async () => {
    await start();
    const fields = 'Connection: upgrade\r\nUpgrade: websocket\r\n';
    expect(await ask(get(0, fields))).toMatch(/^HTTP\/1.1 101 [^]*hello$/);
    expect(upstream.requests).toEqual([`CONNECT 127.0.0.1:${portOf(0)}`]);
  });

  it('receives a CONNECT for every origin with `plain: connect`', async () => {
    await start({ plain: 'connect' });
    expect(await ask(get(0))).toContain('"url":"/path?query"');
    expect(upstream.requests).toEqual([`CONNECT 127.0.0.1:${portOf(0)}`]);
  });

  it('is named when it ends a connection without an answer to a plain request', async () => {
    await start();
    await upstream[Symbol.asyncDispose]();
    const answer = await ask(get(0));
    expect(answer).toMatch(/^HTTP\/1.1 502 /);
    expect(proxy!.log).toContainEqual(
      expect.objectContaining({ category: 'upstream_unreachable', upstream: 'upstream', system: 'ECONNREFUSED' }),
    );
  });
});
