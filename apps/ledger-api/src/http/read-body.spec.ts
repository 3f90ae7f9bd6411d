import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RawConnection } from '../../../../test/support/raw-http.js';
import { readBody } from './read-body.js';

const LIMIT = 10;
const servers: Server[] = [];
const connections: RawConnection[] = [];

afterEach(() => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Sends the parts of a request one after the other, each when the one before it has come; gives what was read of it. */
async function read(head: string, ...parts: readonly string[]): Promise<{ text: string; error: Error | undefined }> {
  const server = createServer();
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const connection = await RawConnection.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  connections.push(connection.write(`POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`));
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  const { promise, resolve } = Promise.withResolvers<{ text: string; error: Error | undefined }>();
  let calls = 0;
  readBody(request, LIMIT, (error, body) => {
    calls += 1;
    resolve({ text: Buffer.from(body).toString(), error });
  });
  for (const part of parts) {
    if (part === BREAK) connection.socket.destroy();
    else await arrived(request, () => connection.write(part));
  }
  const result = await promise;
  expect(calls).toBe(1);
  return result;
}

const BREAK = 'the client is gone';

async function arrived(request: IncomingMessage, send: () => unknown): Promise<void> {
  const event = Promise.race([once(request, 'data'), once(request, 'end')]);
  send();
  await event;
}

describe('readBody', () => {
  it.each([
    ['whole', 'Content-Length: 4', ['text']],
    ['in parts', 'Content-Length: 4', ['te', 'x', 't']],
    ['in chunks', 'Transfer-Encoding: chunked', ['2\r\nte\r\n', '2\r\nxt\r\n', '0\r\n\r\n']],
  ])('reads a body that comes %s', async (_how, head, parts) => {
    expect(await read(head, ...parts)).toEqual({ text: 'text', error: undefined });
  });

  it.each(['Content-Length: 0', 'X-None: x'])('reads nothing where nothing is sent (%s)', async (head) => {
    expect(await read(head)).toEqual({ text: '', error: undefined });
  });

  it('takes as many bytes as the limit', async () => {
    expect((await read('Content-Length: 10', '0123456789')).text).toBe('0123456789');
  });

  it.each([
    ['says', 'Content-Length: 11', []],
    ['does not say', 'Transfer-Encoding: chunked', ['6\r\n012345\r\n', '6\r\n678901\r\n']],
  ])('refuses a longer body that %s how long it is', async (_how, head, parts) => {
    expect(await read(head, ...parts)).toMatchObject({ text: '', error: { code: 'FST_ERR_CTP_BODY_TOO_LARGE' } });
  });

  it.each(['Content-Length: 9', 'Transfer-Encoding: chunked'])(
    'fails when the client breaks off (%s)',
    async (head) => {
      const part = head.startsWith('T') ? '2\r\nte\r\n' : 'te';
      expect(await read(head, part, BREAK)).toMatchObject({ text: '', error: { code: 'API.INVALID_REQUEST' } });
    },
  );
});
