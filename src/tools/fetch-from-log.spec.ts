import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fetchFromLog } from './fetch-from-log.js';

let server: Server;
let url: string;
/** Resolves when the client has closed the connection of the answer without end. */
const cut = Promise.withResolvers<undefined>();

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/log/checkpoint') return void response.end('text');
    if (request.url === '/log/moved') return void response.writeHead(302, { location: '/log/checkpoint' }).end();
    if (request.url !== '/log/endless') return void response.writeHead(404).end();
    const send = (): void => {
      while (response.write(Buffer.alloc(64 * 1024)));
    };
    response.on('drain', send).on('close', () => {
      cut.resolve(undefined);
    });
    send();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/log`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

describe('a file of a log', () => {
  it.each(['', '/'])('is fetched below a prefix that ends with "%s"', async (end) => {
    expect(Buffer.from(await fetchFromLog(url + end, 'checkpoint')).toString()).toBe('text');
  });

  it('is refused when the log does not have it, or sends it elsewhere', async () => {
    await expect(fetchFromLog(url, 'other')).rejects.toThrow(`${url}/other: it was answered with 404`);
    await expect(fetchFromLog(url, 'moved')).rejects.toThrow(`${url}/moved: fetch failed`);
  });

  it('filled the memory when it had no end', async () => {
    await expect(fetchFromLog(url, 'endless')).rejects.toThrow('it has more than 16777472 bytes');
    await cut.promise;
  });
});
