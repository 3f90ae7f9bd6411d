import fastify from 'fastify';
import { clientAddress, trusts } from './client-address.js';

async function seen(trustProxy: false | string[], remoteAddress: string, forwarded?: string): Promise<string> {
  const app = fastify({ trustProxy: trustProxy && trusts(trustProxy) });
  app.get('/', (request) => clientAddress(request));
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  const { body } = await app.inject({ method: 'GET', url: '/', remoteAddress, headers });
  return body;
}

it.each([
  [false, '192.0.2.1', undefined, '192.0.2.1'],
  [false, '::ffff:192.0.2.1', undefined, '192.0.2.1'],
  [false, '2001:DB8::1', undefined, '2001:db8::1'],
  [false, '192.0.2.1', '203.0.113.9', '192.0.2.1'],
  [['10.0.0.0/8'], '192.0.2.1', '203.0.113.9', '192.0.2.1'],
  [['10.0.0.0/8'], '10.0.0.1', '203.0.113.9', '203.0.113.9'],
  [['10.0.0.0/8'], '10.0.0.1', 'forged, 203.0.113.9', '203.0.113.9'],
  [['10.0.0.0/8'], '10.0.0.1', '198.51.100.7, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
  [['10.0.0.0/8'], '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
  [['10.0.0.0/8'], '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
  [['10.0.0.0/8'], '10.0.0.1', '<script>', '10.0.0.1'],
  [['10.0.0.0/8'], '10.0.0.1', '203.0.113.9:4711, 10.0.0.2:443', '203.0.113.9'],
  [['10.0.0.0/8'], '::ffff:10.0.0.1', '198.51.100.7, [2001:db8::1], ::ffff:10.0.0.2', '2001:db8::1'],
  [['fd00::/8', '10.0.0.1'], '10.0.0.1', '2001:db8::1:4711, [fd00::2]:443, fd00::3', '2001:db8::1:4711'],
  [['0.0.0.0/0'], '10.0.0.1', '203.0.113.9, 198.51.100.7', '203.0.113.9'],
  [['10.0.0.0/8'], '10.0.0.1', '203.0.113.9, ,, unknown', '10.0.0.1'],
  [['10.0.0.0/8'], '10.0.0.1', '"203.0.113.9"', '10.0.0.1'],
  [['10.0.0.0/8'], '10.0.0.1', undefined, '10.0.0.1'],
] as const)(
  'with the proxies %j a connection of %s with X-Forwarded-For %s is of %s',
  async (proxies, remote, forwarded, address) => {
    expect(await seen(proxies && [...proxies], remote, forwarded)).toBe(address);
  },
);
