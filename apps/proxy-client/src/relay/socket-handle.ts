import { type OnReadOpts, type Server, Socket, type SocketConstructorOpts } from 'node:net';

/** The parts of a socket's native handle that the data path uses; none is documented, so each use has a fallback. */
export interface SocketHandle {
  /** Bytes that the kernel has not taken yet. */
  readonly writeQueueSize?: number;
  /** Reads go into this buffer from now on. */
  useUserBuffer?(buffer: Uint8Array): void;
  /** Fills in the peer's address; a number other than 0 is an error. */
  getpeername?(out: object): number;
  /** Turns Nagle's algorithm off. */
  setNoDelay?(on: boolean): number;
}

/** The native handle of a server that listens. */
interface ListeningHandle {
  onconnection?: unknown;
}

interface WithHandle {
  _handle: SocketHandle | null;
}

/** The native handle of a socket; null when it is closed or given away. */
export function handleOf(socket: Socket): SocketHandle | null {
  return (socket as unknown as WithHandle)._handle;
}

/**
 * Whether the connection is known to be broken although nobody has noticed: libuv does not look at a socket that is
 * neither read nor written, so a reset by a peer whose end was read, or that is held back, stays unseen.
 */
export function isGone(socket: Socket): boolean {
  const handle = handleOf(socket);
  return typeof handle?.getpeername === 'function' && handle.getpeername({}) !== 0;
}

interface HandleOptions {
  readonly handle: SocketHandle;
  readonly onread: OnReadOpts;
  readonly allowHalfOpen: true;
  readonly manualStart: true;
}

/** A socket over a connection that is open, such as {@link takeHandles} gives; it reads with `onread`. */
export function socketOver(handle: SocketHandle, onread: OnReadOpts): Socket {
  const options: HandleOptions = { handle, onread, allowHalfOpen: true, manualStart: true };
  return new Socket(options as unknown as SocketConstructorOpts);
}

/** Whether this Node lets a socket with `onread` be made over an existing handle: tried on a handle that is none. */
function tryHandOver(): boolean {
  const buffer = Buffer.alloc(1);
  let used: unknown;
  const handle = {
    useUserBuffer: (given: Uint8Array): void => {
      used = given;
    },
    readStart: (): number => 0,
    readStop: (): number => 0,
    close: (): void => undefined,
    getAsyncId: (): number => -1,
  };
  try {
    const socket = socketOver(handle, { buffer: () => buffer, callback: () => true });
    const taken = used === buffer && handleOf(socket) === handle;
    (socket as unknown as WithHandle)._handle = null;
    socket.destroy();
    return taken;
  } catch {
    return false;
  }
}

let handOver: boolean | undefined;

/** Whether {@link handOverSocket} works in this version of Node. */
export function canHandOver(): boolean {
  handOver ??= tryHandOver();
  return handOver;
}

/**
 * Makes a new socket over the connection of `socket`, which reads with `onread`: Node takes that option only when a
 * socket is made, and accepted sockets are made by the server. The old object is left without a connection.
 *
 * @returns undefined when the socket is closed or is not plain TCP
 */
export function handOverSocket(socket: Socket, onread: OnReadOpts): Socket | undefined {
  const handle = handleOf(socket);
  if (typeof handle?.useUserBuffer !== 'function') {
    return undefined;
  }
  const next = socketOver(handle, onread);
  (socket as unknown as WithHandle)._handle = null;
  return next;
}

/**
 * Has the connections that `server` accepts given to `take` before a socket is made of them, which
 * {@link handOverSocket} would only throw away.
 *
 * @param server - one that listens
 * @returns whether this Node can do that; if not, the server's 'connection' events go on, as they do for connections of
 *   another kind
 */
export function takeHandles(server: Server, take: (handle: SocketHandle) => void): boolean {
  const listening = (server as unknown as { _handle: ListeningHandle | null })._handle;
  const serve = listening?.onconnection;
  if (listening === null || typeof serve !== 'function' || !canHandOver()) {
    return false;
  }
  listening.onconnection = function (this: unknown, status: number, handle?: SocketHandle): void {
    if (status === 0 && handle?.useUserBuffer !== undefined && handle.setNoDelay !== undefined) {
      handle.setNoDelay(true);
      take(handle);
    } else {
      serve.call(this, status, handle);
    }
  };
  return true;
}
