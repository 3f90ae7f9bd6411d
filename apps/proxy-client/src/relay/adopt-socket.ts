import type { Socket } from 'node:net';
import type { BufferPool } from './buffer-pool.js';
import type { ClientSource } from './byte-source.js';
import { PlainSource } from './plain-source.js';
import { PooledSource } from './pooled-source.js';
import { canHandOver, handleOf } from './socket-handle.js';

/**
 * Makes a source of a socket that a server accepted and that nobody reads yet. Where this Node allows it, the connection
 * goes on in a new socket object, and the old one, which is left empty, is destroyed.
 */
export function adoptSocket(pool: BufferPool, socket: Socket): ClientSource {
  if (!canHandOver() || socket.destroyed || handleOf(socket)?.useUserBuffer === undefined) {
    return new PlainSource(socket);
  }
  const source = PooledSource.adopt(pool, socket);
  socket.destroy();
  return source;
}
