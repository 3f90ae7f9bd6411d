import { describe, expect, it, afterEach } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { setTimeout as delay } from 'node:timers/promises';
import { exchange, lastAnswer, RawConnection } from '../../../../test/support/raw-http.js';
import { makeSelfSigned } from './tls-identity.js';
import { ApiServer, LISTENER_LIMITS, sendContinue, type ListenerLimits } from './api-server.js';

const FAST: ListenerLimits = { ...LISTENER_LIMITS, request: 200, check: 20, drain: 200 };
const GET = 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n';
const servers: ApiServer[] = [];

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers with the URL once the body is in. */
const echo: Handler = (request, response) => {
  request.resume().on('end', () => response.end(request.url));
};

async function serve(handler: Handler, limits: ListenerLimits = LISTENER_LIMITS, secure = false): Promise<string> {
  const server = new ApiServer(handler, limits, secure ? await makeSelfSigned() : undefined);
  servers.push(server);
  return `${secure ? 'https' : 'http'}://127.0.0.1:${await server.listen('127.0.0.1', 0)}`;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => server.drain()));
});

const refusal = { success: false, message: expect.stringMatching(/\S/) as unknown };

describe.each([
  ['http', false],
  ['https', true],
])('ApiServer over %s', (_name, secure) => {
  it.each([
    ['bytes above ASCII in the path', 'GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a bare line feed in the head', 'GET / HTTP/1.1\nHost: a\n\n', 400],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n', 400],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n', 400],
    [
      'both framings',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', 400],
    ['an unknown method', 'FROB / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    [
      'a chunk size of 20 digits',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffffffff\r\n',
      400,
    ],
    ['a head above 48 KiB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(50_000)}\r\n\r\n`, 431],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 405],
  ])('answers %s in the error shape and closes', async (_what, bytes, status) => {
    const answer = lastAnswer(await exchange(await serve(echo, LISTENER_LIMITS, secure), bytes));
    expect(answer).toMatchObject({ status, body: refusal });
    expect(answer.head).toMatch(/Connection: close/);
  });

  it.each([
    ['half a head', 'GET / HTTP/1.1\r\nHost:'],
    ['half a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab'],
    ['nothing', ''],
  ])('ends a client that sends %s and then no more with 408', async (_what, bytes) => {
    const answer = lastAnswer(await exchange(await serve(echo, FAST, secure), bytes));
    expect(answer).toMatchObject({ status: 408, body: refusal });
  });

  describe('closes the connection of a client that never does', () => {
    /** Opens a connection whose side stays open when the server has closed its own. */
    const openStubborn = async (url: string): Promise<[client: Socket, closed: Promise<unknown>]> => {
      const accepted = once(servers.at(-1)!.server, secure ? 'secureConnection' : 'connection');
      const to = { host: '127.0.0.1', port: Number(new URL(url).port), allowHalfOpen: true };
      const client = secure ? connect({ ...to, rejectUnauthorized: false }) : connectPlain(to);
      client.on('error', () => undefined).resume();
      const [socket] = (await accepted) as [Socket];
      return [client, once(socket, 'close')];
    };

    it.each([
      ['silent', ''],
      ['garbage', 'hello\r\n\r\n'],
      ['a large head', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(50_000)}\r\n\r\n`],
      ['half a head', 'GET / HTTP/1.1\r\nHost:'],
      ['half a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab'],
      ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
    ])('after a time: %s', async (_what, bytes) => {
      const [client, closed] = await openStubborn(await serve(echo, { ...FAST, linger: 50 }, secure));
      client.write(bytes);
      await closed;
      client.destroy();
    });

    it.each([
      ['without the header', {}, 'ab'],
      ['with the header', { connection: 'close' }, 'ab'],
      ['of a body that fills the buffers', {}, 'x'.repeat(300_000)],
    ])('defect: after an answer to a request whose body never arrives, %s', async (_what, headers, begun) => {
      const answerAtOnce: Handler = (_request, response) => response.writeHead(413, headers).end('no');
      const [client, closed] = await openStubborn(
        await serve(answerAtOnce, { ...LISTENER_LIMITS, linger: 50 }, secure),
      );
      client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n${begun}`);
      await closed;
      client.destroy();
    });

    it('when it sends endlessly', async () => {
      const [client, closed] = await openStubborn(await serve(echo, { ...LISTENER_LIMITS, linger: 50 }, secure));
      const piece = Buffer.alloc(64 * 1024);
      const send = (): void => {
        while (!client.destroyed && client.write(piece));
      };
      client.on('drain', send);
      send();
      await closed;
      client.destroy();
    });
  });

  it('executes nothing of a request that was refused as late', async () => {
    const url = await serve(echo, { ...FAST, linger: LISTENER_LIMITS.linger }, secure);
    const ended: string[] = [];
    servers.at(-1)!.server.prependListener('request', (request: IncomingMessage) => {
      request.on('end', () => ended.push(request.url ?? ''));
    });
    const connection = await RawConnection.open(url);
    await connection.write('POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab').until('408');
    connection.write(`cd${GET}`);
    await connection.closed;
    expect(ended).toEqual([]);
  });

  it('answers a client that has shut down its side', async () => {
    const connection = await RawConnection.open(await serve(echo, LISTENER_LIMITS, secure));
    expect(await connection.write(GET).half().closed).toMatch(/^HTTP\/1.1 200 OK[^]*\/x$/);
  });

  it('answers the request before garbage, then the garbage', async () => {
    const { promise: release, resolve } = Promise.withResolvers<undefined>();
    const url = await serve(
      (request, response) => void release.then(() => response.end(request.url)),
      LISTENER_LIMITS,
      secure,
    );
    const connection = await RawConnection.open(url);
    connection.write(`${GET}garbage\r\n\r\n`);
    resolve(undefined);
    const answers = await connection.closed;
    expect(answers).toMatch(/^HTTP\/1.1 200 OK[^]*\/xHTTP\/1.1 400/);
    expect(lastAnswer(answers).body).toEqual(refusal);
  });

  it('sends a finished answer before it cuts a connection whose body continues with garbage', async () => {
    const url = await serve((_request, response) => response.writeHead(415).end('no'), LISTENER_LIMITS, secure);
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await exchange(url, `${head}garbage\r\n`)).toMatch(/^HTTP\/1.1 415/);
  });

  describe('of a pipeline', () => {
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab`;
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const pipeline = async (
      requests: string,
      answer: (response: ServerResponse, name: string) => void,
      limits: ListenerLimits = LISTENER_LIMITS,
    ) => {
      const begun: string[] = [];
      const release = new Map<string, () => void>();
      const changed = new EventEmitter();
      const handler: Handler = (request, response) => {
        const name = `${request.method ?? ''} ${request.url ?? ''}`;
        begun.push(name);
        release.set(name, () => {
          answer(response, name);
        });
        request.resume().on('end', () => changed.emit('begun'));
      };
      const connection = await RawConnection.open(await serve(handler, limits, secure));
      connection.write(requests);
      const begins = async (count: number) => {
        while (begun.length < count) await once(changed, 'begun');
        return [...begun];
      };
      return {
        connection,
        begun,
        begins,
        release: (name: string) => {
          release.get(name)!();
        },
      };
    };

    it('starts with each request when the previous answer is sent, however many were received at once', async () => {
      const names = ['GET /1', 'GET /2', 'POST /3', 'GET /4', 'GET /5', 'POST /6'];
      const all = names.map((name) => (name.startsWith('GET') ? get : post)(name.split(' ')[1]!)).join('');
      const { connection, begun, begins, release } = await pipeline(all, (response, name) => response.end(name));
      for (const [index, name] of names.entries()) {
        expect(await begins(index + 1)).toEqual(names.slice(0, index + 1));
        release(name);
      }
      const answers = await connection.until('POST /6');
      expect(answers.match(/(GET|POST) \/\d/g)).toEqual(begun);
      connection.write(get('/7'));
      expect((await begins(7)).at(-1)).toBe('GET /7');
      release('GET /7');
      await connection.until('GET /7');
    });

    it('starts the timeout of a request at its turn, however long the previous request lasts', async () => {
      const body = 'ab';
      const [limits, all] = [{ ...FAST, request: 3000 }, get('/1') + post('/2')];
      const { connection, begins, release } = await pipeline(
        all.slice(0, -body.length),
        (response, name) => response.end(name),
        limits,
      );
      await begins(1);
      await delay(limits.request + 10 * limits.check);
      release('GET /1');
      connection.write(body);
      await begins(2);
      release('POST /2');
      await connection.until('POST /2');
    });

    it('executes no request after an answer that closes the connection', async () => {
      const { connection, begun, begins, release } = await pipeline(get('/1') + post('/2'), (response, name) => {
        response.setHeader('connection', 'close').end(name);
      });
      await begins(1);
      release('GET /1');
      expect(await connection.closed).toMatch(/^HTTP\/1.1 200[^]*GET \/1$/);
      expect(begun).toEqual(['GET /1']);
    });
  });

  it('finishes what is in flight when it stops, refuses new connections, and ends silent and half-sent ones', async () => {
    const { promise: release, resolve } = Promise.withResolvers<undefined>();
    const url = await serve(
      (request, response) => void release.then(() => response.end(request.url)),
      LISTENER_LIMITS,
      secure,
    );
    const [busy, silent, half, idle] = await Promise.all([1, 2, 3, 4].map(async () => RawConnection.open(url)));
    const requested = once(servers[0]!.server, 'request');
    busy!.write(GET);
    await requested;
    half!.write('GET / HT');
    const drained = servers[0]!.drain();
    await expect(RawConnection.open(url)).rejects.toThrow(/ECONNREFUSED/);
    resolve(undefined);
    expect(await busy!.closed).toMatch(/Connection: close[^]*\/x$/);
    expect(await Promise.all([silent!.closed, half!.closed, idle!.closed])).toEqual(['', '', '']);
    await drained;
  });

  it('cuts what does not finish within the limit of a stop', async () => {
    const url = await serve(() => undefined, FAST, secure);
    const connection = await RawConnection.open(url);
    const requested = once(servers[0]!.server, 'request');
    connection.write(GET);
    await requested;
    await servers[0]!.drain();
    expect(await connection.closed).toBe('');
  });
});

describe('ApiServer', () => {
  it('defect: 100 Continue was sent before the head was accepted', async () => {
    const url = await serve((request, response) => {
      if (Number(request.headers['content-length']) > 10) {
        response.writeHead(401).end();
        return;
      }
      sendContinue(response);
      echo(request, response);
    });
    const head = (length: number) =>
      `POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    const small = await RawConnection.open(url);
    await small.write(head(2)).until('100 Continue');
    await small.write('ab').until('/x');
    small.socket.destroy();
    const large = await exchange(url, head(11));
    expect(large).toMatch(/^HTTP\/1.1 401/);
    expect(large).toMatch(/Connection: close/);
  });

  it('hands unknown expectations to the handler', async () => {
    const url = await serve((request, response) => response.writeHead(417).end(request.headers.expect));
    const answer = await exchange(url, 'GET / HTTP/1.1\r\nHost: a\r\nExpect: cake\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 417[^]*cake/);
  });

  it('hands a request without Host to the handler', async () => {
    const answer = await exchange(await serve(echo), 'GET /x HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 200/);
  });

  it('executes no request after the body that it did not read', async () => {
    const begun: string[] = [];
    const url = await serve((request, response) => {
      begun.push(request.url ?? '');
      response.writeHead(413).end('no');
    });
    const connection = await RawConnection.open(url);
    await connection.write('POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab').until('no');
    connection.write(`cd${GET}`);
    await connection.closed;
    expect(begun).toEqual(['/1']);
  });

  it('does not answer twice if a refused body never arrives', async () => {
    const url = await serve((_request, response) => response.writeHead(413).end('no'), FAST);
    const connection = await RawConnection.open(url);
    connection.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab');
    expect((await connection.closed).match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it('aborts a TLS handshake that exceeds its timeout, and one in progress when it stops', async () => {
    const url = await serve(echo, { ...FAST, handshake: 200 }, true);
    const stalled = await RawConnection.open(url.replace('https', 'http'));
    expect(await stalled.closed).toBe('');
    const other = await serve(echo, LISTENER_LIMITS, true);
    const accepted = once(servers[1]!.server, 'connection');
    const hanging = await RawConnection.open(other.replace('https', 'http'));
    await accepted;
    await servers[1]!.drain();
    expect(await hanging.closed).toBe('');
  });

  it('serves another certificate after it was replaced', async () => {
    const url = await serve(echo, LISTENER_LIMITS, true);
    const fingerprint = async () => {
      const { socket } = await RawConnection.open(url);
      const found = (socket as TLSSocket).getPeerCertificate().fingerprint256;
      socket.destroy();
      return found;
    };
    const before = await fingerprint();
    servers[0]!.replaceIdentity(await makeSelfSigned());
    expect(await fingerprint()).not.toBe(before);
  });

  it.each(['before', 'after'])('refuses CBC suites and TLS 1.1 %s its certificate was replaced', async (when) => {
    const url = new URL(await serve(echo, LISTENER_LIMITS, true));
    if (when === 'after') servers[0]!.replaceIdentity(await makeSelfSigned());
    const cipherOf = async (options: ConnectionOptions): Promise<string> => {
      const socket = connect({ host: url.hostname, port: Number(url.port), rejectUnauthorized: false, ...options });
      await once(socket, 'secureConnect');
      const { name } = socket.getCipher();
      socket.destroy();
      return name;
    };
    for (const ciphers of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'ECDHE-ECDSA-AES128-SHA256']) {
      await expect(cipherOf({ maxVersion: 'TLSv1.2', ciphers })).rejects.toThrow(/handshake failure/);
    }
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(cipherOf(old)).rejects.toThrow(/protocol version/);
    expect(await cipherOf({ maxVersion: 'TLSv1.2' })).toMatch(/^ECDHE-ECDSA-.*(GCM|POLY1305)/);
    expect(await cipherOf({})).toMatch(/^TLS_/);
  });

  it('rejects when it cannot listen', async () => {
    const url = await serve(echo);
    const second = new ApiServer(echo);
    await expect(second.listen('127.0.0.1', Number(new URL(url).port))).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
