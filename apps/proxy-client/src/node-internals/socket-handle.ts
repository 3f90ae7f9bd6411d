import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';

/**
 * The undocumented features of Node that are used. {@link proveInternals} turns those off that do not work as expected; the
 * fallbacks are listed in docs/node-internals.md and tested.
 */
export const internals = {
  /** A socket that reads into provided buffers can be created over the handle of an accepted one. */
  handOver: true,
  /** The buffer of a socket can be replaced while it reads. */
  liveBuffer: true,
  /** A handle reports how many bytes of a write the kernel has not accepted. */
  writeQueue: true,
  /** A handle reports that the connection is broken although the socket is neither read nor written. */
  detectReset: true,
};

/** An undocumented feature of Node. */
export type Internal = keyof typeof internals;

/** The undocumented parts of a socket's native handle. */
interface SocketHandle {
  /** Bytes that the kernel has not accepted yet. */
  readonly writeQueueSize?: number;
  /** Replaces the buffer for the next reads. */
  useUserBuffer?(buffer: Uint8Array): void;
  /** Writes the peer's address to `out`; returns an error code other than 0 if there is no peer. */
  getpeername?(out: object): number | undefined;
}

interface WithHandle {
  _handle: SocketHandle | null;
}

function handleOf(socket: object): SocketHandle | null {
  return (socket as WithHandle)._handle;
}

/** Returns how many written bytes the kernel has accepted. Without `writeQueue` the bytes of one write count when all of them were. */
export function acceptedBytes(socket: Pick<Socket, 'bytesWritten' | 'writableLength'>): number {
  const unsent = internals.writeQueue ? handleOf(socket)?.writeQueueSize : undefined;
  return socket.bytesWritten - (unsent ?? socket.writableLength);
}

/**
 * Whether a connection is broken although no event has reported it: libuv does not poll a socket that is neither read nor
 * written, so a reset by a peer that is held back, or whose end was read, goes unnoticed.
 */
export function isReset(socket: object): boolean {
  const handle = handleOf(socket);
  if (!internals.detectReset || typeof handle?.getpeername !== 'function') return false;
  // Undefined for TLS over a stream that is not a TCP connection.
  return (handle.getpeername({}) ?? 0) !== 0;
}

/**
 * Replaces the buffer of a socket that reads into provided buffers (`onread`).
 *
 * @returns false if the socket keeps its buffer
 */
export function readInto(socket: Socket, buffer: Buffer): boolean {
  const handle = handleOf(socket);
  if (!internals.liveBuffer || typeof handle?.useUserBuffer !== 'function') return false;
  handle.useUserBuffer(buffer);
  return true;
}

interface HandleOptions {
  readonly handle: SocketHandle;
  readonly onread: OnReadOpts;
  readonly allowHalfOpen: true;
  readonly manualStart: true;
}

/** Whether {@link handOver} can be used on this socket. */
export function canHandOver(socket: Socket): boolean {
  return internals.handOver && !socket.destroyed && typeof handleOf(socket)?.useUserBuffer === 'function';
}

/**
 * Creates a new socket over the connection of `socket`, which reads with `onread`. Node accepts that option only when a
 * socket is created, and a server creates its sockets itself. The old object loses its connection and is destroyed.
 *
 * @param socket - one that {@link canHandOver} and that was not read
 */
export function handOver(socket: Socket, onread: OnReadOpts): Socket {
  const handle = handleOf(socket);
  if (handle === null) throw new TypeError('The socket has no connection to hand over.');
  const options: HandleOptions = { handle, onread, allowHalfOpen: true, manualStart: true };
  const next = new Socket(options as unknown as SocketConstructorOpts);
  (socket as unknown as WithHandle)._handle = null;
  socket.destroy();
  return next;
}
