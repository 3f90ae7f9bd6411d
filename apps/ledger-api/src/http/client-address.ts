import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** The addresses of connections, and those of requests that a proxy has forwarded. */
const connections = new WeakMap<Socket, string>();
const forwarded = new WeakMap<IncomingMessage, string>();

/**
 * Returns the address of a client in one normal form: behind a trusted proxy the address in X-Forwarded-For (Fastify's
 * `trustProxy`), else that of the connection. Some proxies append a port, and dual-stack sockets wrap IPv4 in IPv6. It is read at
 * the first call, because a socket has no address any more when its client has reset the connection.
 * @returns an empty text when the client had left before the first call
 */
export function clientAddress(request: FastifyRequest): string {
  const { raw } = request;
  const connection = remembered(connections, raw.socket, () => bare(raw.socket.remoteAddress ?? ''));
  if (raw.headers['x-forwarded-for'] === undefined || raw.socket.remoteAddress === undefined) {
    return forwarded.get(raw) ?? connection;
  }
  return remembered(forwarded, raw, () => {
    const address = bare(request.ip);
    return isIP(address) === 0 ? connection : address;
  });
}

function remembered<K extends object>(cache: WeakMap<K, string>, key: K, read: () => string): string {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const address = read();
  cache.set(key, address);
  return address;
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
    const [address = '', bits = isIPv6(network) ? '128' : '32'] = network.split('/');
    trusted.addSubnet(address, Number(bits), familyOf(address));
  }
  return (text) => {
    const address = bare(text);
    return isIP(address) !== 0 && trusted.check(address, familyOf(address));
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function bare(address: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(address) ?? [];
  const host = bracketed ?? address.replace(/^([0-9.]+):\d+$/, '$1');
  return host.replace(/^::ffff:(?=[0-9.]+$)/i, '').toLowerCase();
}

/** Returns the network of one subscriber: for IPv6 a whole /64. */
export function networkOf(address: string): string {
  return isIPv6(address) ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString() : address;
}
