import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { internals } from './internals.js';

/** The parts of a socket's native handle that are used; none is documented. */
interface SocketHandle {
  /** Bytes that the kernel has not taken yet. */
  readonly writeQueueSize?: number;
  /** Reads go into this buffer from now on. */
  useUserBuffer?(buffer: Uint8Array): void;
  /** Fills in the peer's address; a number other than 0 is an error. */
  getpeername?(out: object): number;
}

interface WithHandle {
  _handle: SocketHandle | null;
}

function handleOf(socket: Socket): SocketHandle | null {
  return (socket as unknown as WithHandle)._handle;
}

/** How many bytes of what was written to a socket the kernel has not taken; a piece of one write counts where that is told. */
export function unsentBytes(socket: Socket): number {
  return (internals.writeQueue ? handleOf(socket)?.writeQueueSize : undefined) ?? socket.writableLength;
}

/**
 * Whether the connection is known to be broken although nobody has noticed: libuv does not look at a socket that is
 * neither read nor written, so a reset by a peer whose end was read, or that is held back, stays unseen.
 */
export function isGone(socket: Socket): boolean {
  const handle = handleOf(socket);
  return internals.peerName && typeof handle?.getpeername === 'function' && handle.getpeername({}) !== 0;
}

/**
 * Has a socket that reads into given buffers (`onread`) read into another one from now on.
 *
 * @returns whether it does; if not, it goes on with the one that it has
 */
export function readInto(socket: Socket, buffer: Buffer): boolean {
  const handle = handleOf(socket);
  if (!internals.liveBuffer || typeof handle?.useUserBuffer !== 'function') {
    return false;
  }
  handle.useUserBuffer(buffer);
  return true;
}

interface HandleOptions {
  readonly handle: SocketHandle;
  readonly onread: OnReadOpts;
  readonly allowHalfOpen: true;
  readonly manualStart: true;
}

/** A socket over a connection that is open; it reads with `onread`. */
function socketOver(handle: SocketHandle, onread: OnReadOpts): Socket {
  const options: HandleOptions = { handle, onread, allowHalfOpen: true, manualStart: true };
  return new Socket(options as unknown as SocketConstructorOpts);
}

/** Whether {@link handOver} would make a socket of this one. */
export function canHandOver(socket: Socket): boolean {
  return internals.handOver && !socket.destroyed && typeof handleOf(socket)?.useUserBuffer === 'function';
}

/**
 * Makes a new socket over the connection of `socket`, which reads with `onread`: Node takes that option only when a
 * socket is made, and accepted sockets are made by the server. The old object is left without a connection, and ended.
 *
 * @param socket - one that {@link canHandOver} and that nobody has read
 */
export function handOver(socket: Socket, onread: OnReadOpts): Socket {
  const handle = handleOf(socket);
  if (handle === null) {
    throw new TypeError('The socket has no connection that could be handed over.');
  }
  const next = socketOver(handle, onread);
  (socket as unknown as WithHandle)._handle = null;
  socket.destroy();
  return next;
}
