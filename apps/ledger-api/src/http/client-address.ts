import { BlockList, isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * The address of a client, as one text for each: behind a trusted proxy what that says in X-Forwarded-For (Fastify's
 * `trustProxy`), else that of the connection. Proxies put a port behind it, and dual-stack sockets IPv4 inside IPv6.
 */
export function clientAddress(request: FastifyRequest): string {
  const forwarded = bare(request.ip);
  return isIP(forwarded) === 0 ? bare(request.raw.socket.remoteAddress ?? '') : forwarded;
}

/**
 * Whether an address is a trusted proxy's, for Fastify's `trustProxy`, whose own reading takes no address with a port: behind
 * two proxies that write it so, all clients would be the inner one.
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

/** The network that one subscriber has: of IPv6 a whole /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const behind = tail === '' ? [] : tail.split(':');
    while (groups.length + behind.length < 8) groups.push('0');
    groups.push(...behind);
  }
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
