import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange } from '../../support/raw-http.js';

/** An address of this machine by which a client does not come from the loopback. */
const OWN = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
/** The name of this machine, if it resolves to an address. */
const NAMES = await lookup(hostname()).then(
  () => [hostname()],
  () => [],
);
/** What the machine's resolver reads as its address; direct-upstream.spec has more spellings. */
const LOOPBACKS = ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', ...NAMES];
const METADATA = ['169.254.169.254', '[fe80::1]'];

let origins: readonly Server[];
let port: number;
/** What a rule names is on another port. */
let named: number;
let proxy: RunningProxy;

beforeAll(async () => {
  origins = [0, 1].map(() => createServer((_request, answer) => answer.end('hello')).listen(0));
  await Promise.all(origins.map((origin) => once(origin, 'listening')));
  [port, named] = origins.map((origin) => (origin.address() as AddressInfo).port) as [number, number];
  proxy = await ProxyProgram.start({
    listen: undefined,
    upstream: undefined,
    listeners: [{ mode: 'http', host: '0.0.0.0', port: 0, open: true }],
    upstreams: { socks: { host: '127.0.0.1', port: 1 } },
    rules: [
      { networks: ['127.0.0.0/8'], ports: [named], to: 'direct' },
      { hosts: ['nowhere.example'], to: 'socks' },
      { to: 'direct' },
    ],
  });
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  for (const origin of origins) {
    origin.close();
    origin.closeAllConnections();
  }
});

/** The status and the error of a plain request, and of a CONNECT. */
async function ask(from: string, host: string, at = port): Promise<readonly string[]> {
  const url = `http://${from}:${new URL(proxy.url).port}`;
  const authority = `${host}:${at}`;
  const plain = await exchange(
    url,
    `GET http://${authority}/ HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`,
  );
  const inside = `GET / HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`;
  const tunnel = await exchange(url, `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n${inside}`);
  return [plain, tunnel].map((answer) => {
    const error = /error=(\w+)/.exec(answer)?.[1];
    return error ?? (answer.endsWith('hello') ? 'hello' : answer);
  });
}

describe('direct', () => {
  it.each(LOOPBACKS)('connects a program of this machine to %s', async (host) => {
    expect(await ask('127.0.0.1', host)).toEqual(['hello', 'hello']);
  });

  const elsewhere = OWN === undefined ? describe.skip : describe;
  elsewhere('for a client that does not come from the loopback', () => {
    it.each([...LOOPBACKS, ...METADATA, OWN!])('does not connect to %s', async (host) => {
      expect(await ask(OWN!, host)).toEqual(Array(2).fill('destination_ip_prohibited'));
    });

    it('does not hand over a connection that a program of this machine has opened', async () => {
      const request = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
      const mine = await fetch(proxy.url, { method: 'HEAD' });
      expect(mine.status).toBe(404);
      expect(
        (await exchange(proxy.url, request + request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))).match(
          /hello/g,
        ),
      ).toHaveLength(2);
      expect(await ask(OWN!, '127.0.0.1')).toEqual(Array(2).fill('destination_ip_prohibited'));
    });

    it.each(['127.0.0.1', '127.1', 'localhost'])('connects to %s where a rule names the network', async (host) => {
      expect(await ask(OWN!, host, named)).toEqual(['hello', 'hello']);
    });
  });

  it('is for what a rule sends there, and nothing else', async () => {
    expect(await ask('127.0.0.1', 'nowhere.example')).toEqual(Array(2).fill('connection_refused'));
  });
});
