import type { Socket } from 'node:net';
import { canHandOver } from '../node-internals/socket-handle.js';
import type { BufferPool } from './buffer-pool.js';
import type { ClientSource } from './byte-source.js';
import { PlainSource } from './plain-source.js';
import { PooledSource } from './pooled-source.js';

/**
 * Makes a source of a socket that a server accepted and that nobody reads yet. Where this Node allows it, the connection
 * goes on in a new socket object, and the old one, which is left empty, is destroyed.
 */
export function adoptSocket(pool: BufferPool, socket: Socket): ClientSource {
  return canHandOver(socket) ? PooledSource.adopt(pool, socket) : new PlainSource(socket);
}
