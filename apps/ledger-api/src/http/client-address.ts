import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * The address of a client, as one text for each: behind a trusted proxy what that says in X-Forwarded-For (Fastify's
 * `trustProxy`), else that of the connection. Proxies put a port behind it, and dual-stack sockets IPv4 inside IPv6.
 */
export function clientAddress(request: FastifyRequest): string {
  const forwarded = bare(request.ip);
  return isIP(forwarded) === 0 ? bare(request.raw.socket.remoteAddress ?? '') : forwarded;
}

function bare(address: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(address) ?? [];
  const host = bracketed ?? address.replace(/^([0-9.]+):\d+$/, '$1');
  return host.replace(/^::ffff:(?=[0-9.]+$)/i, '').toLowerCase();
}
