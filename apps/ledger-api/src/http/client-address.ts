import { BlockList, isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Returns the address of a client in one normal form: behind a trusted proxy the address in X-Forwarded-For (Fastify's
 * `trustProxy`), else that of the connection. Some proxies append a port, and dual-stack sockets wrap IPv4 in IPv6.
 */
export function clientAddress(request: FastifyRequest): string {
  const forwarded = bare(request.ip);
  return isIP(forwarded) === 0 ? bare(request.raw.socket.remoteAddress ?? '') : forwarded;
}

/**
 * Creates the function for Fastify's `trustProxy` that checks whether an address is a trusted proxy's. Fastify's own
 * function does not accept an address with a port: behind two proxies that write one, all clients would have the address
 * of the inner proxy.
 * @param networks - IP addresses and networks such as 10.0.0.0/8
 */
export function trusts(networks: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return (text) => {
    const address = bare(text);
    return isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
}

function bare(address: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(address) ?? [];
  const host = bracketed ?? address.replace(/^([0-9.]+):\d+$/, '$1');
  return host.replace(/^::ffff:(?=[0-9.]+$)/i, '').toLowerCase();
}

/** Returns the network of one subscriber: for IPv6 a whole /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':');
    while (groups.length + last.length < 8) groups.push('0');
    groups.push(...last);
  }
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
