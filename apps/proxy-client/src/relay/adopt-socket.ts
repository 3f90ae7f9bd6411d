import type { Socket } from 'node:net';
import type { BufferPool } from './buffer-pool.js';
import type { ByteSource } from './byte-source.js';
import { PlainSource } from './plain-source.js';
import { PooledSource } from './pooled-source.js';
import { canHandOver, handleOf } from './socket-handle.js';

/**
 * Makes a source of a socket that a server accepted and that nobody else reads any more.
 *
 * Where this Node allows it, the connection goes on in a new socket object; `transfer` is then told before the old one,
 * which is left empty, is destroyed.
 */
export function adoptSocket(
  pool: BufferPool,
  socket: Socket,
  transfer: (from: Socket, to: Socket) => void,
): ByteSource {
  if (!canHandOver() || socket.destroyed || handleOf(socket)?.useUserBuffer === undefined) {
    return new PlainSource(socket);
  }
  const source = PooledSource.adopt(pool, socket);
  transfer(socket, source.socket);
  socket.destroy();
  return source;
}
