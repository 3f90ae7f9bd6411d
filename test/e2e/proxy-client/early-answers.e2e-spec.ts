import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { granting, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange } from '../../support/raw-http.js';

/** Where the read buffers of the proxy are full: after the first one, and after the one that it then changes to. */
const SIZES = [1024, 1024 + 16_384, 1024 + 16_384 + 131_072];

/** Bytes after the first answer, as if they answered the next request. */
const POISON = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison';
const SECOND = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond';

const ANSWERS: Readonly<Record<string, readonly [method: string, status: string, fields: string, body: string]>> = {
  'a length': ['GET', '200 OK', 'Content-Length: 5\r\n', 'first'],
  'a length, to a request with a body': ['POST', '200 OK', 'Content-Length: 5\r\n', 'first'],
  chunks: ['GET', '200 OK', 'Transfer-Encoding: chunked\r\n', '5\r\nfirst\r\n0\r\n\r\n'],
  'chunks and a trailer': ['GET', '200 OK', 'Transfer-Encoding: chunked\r\n', '5\r\nfirst\r\n0\r\nX: y\r\n\r\n'],
  'no body, to a HEAD': ['HEAD', '200 OK', '', ''],
  'a length, to a HEAD': ['HEAD', '200 OK', 'Content-Length: 99\r\n', ''],
  '204': ['GET', '204 No Content', '', ''],
  '304': ['GET', '304 Not Modified', 'ETag: "x"\r\n', ''],
};

const socks = new ScriptedSocks5Server(() => granting());
let proxy: RunningProxy;
let hosts = 0;

beforeAll(async () => {
  await socks.listen();
  const upstream = { host: '127.0.0.1', port: socks.port, handshake: 'stepwise' };
  proxy = await ProxyProgram.start({ upstream });
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await socks.close();
});

/** An answer with exactly that number of bytes. */
function answerOf(size: number, status: string, fields: string, body: string): string {
  const head = `HTTP/1.1 ${status}\r\n${fields}X-Pad: `;
  return `${head}${'p'.repeat(size - head.length - body.length - 4)}\r\n\r\n${body}`;
}

describe('unrequested bytes of an origin', () => {
  const cases = SIZES.flatMap((size) => Object.keys(ANSWERS).map((name) => [name, size] as const));

  it.each(cases)('never answer the request that waits after an answer with %s of %d bytes', async (name, size) => {
    const [method, status, fields, body] = ANSWERS[name]!;
    const answer = answerOf(size, status, fields, body);
    expect(answer).toHaveLength(size);
    socks.script = () =>
      granting((socket: Socket) => {
        socket.on('data', (chunk: Buffer) => {
          if (chunk.includes('/first')) socket.write(answer + POISON, 'latin1');
          else if (chunk.includes('/second')) socket.write(SECOND);
        });
      });
    // A separate host, because a reused connection would answer by its own script.
    const host = `h${(hosts += 1)}.example`;
    const content = method === 'POST' ? 'Content-Length: 2\r\n\r\nhi' : '\r\n';
    const received = await exchange(
      proxy.url,
      `${method} http://${host}/first HTTP/1.1\r\nHost: ${host}\r\n${content}` +
        `GET http://${host}/second HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(received).not.toContain('poison');
    expect(received).toMatch(/^HTTP\/1\.1 (?:200|204|304) /);
    expect(received).toMatch(/\r\n\r\nsecond$/);
  });
});
