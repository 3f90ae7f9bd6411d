import type { Server } from 'node:net';
import { internals } from './internals.js';
import type { SocketHandle } from './socket-handle.js';

/** The native handle of a server that listens. */
interface ListeningHandle {
  onconnection?: unknown;
}

/**
 * Has the connections that `server` accepts given to `take` before a socket is made of them, which `handOver` would only
 * throw away.
 *
 * @param server - one that listens
 * @returns whether this Node can do that; if not, the server's 'connection' events go on, as they do for connections of
 *   another kind
 */
export function takeHandles(server: Server, take: (handle: SocketHandle) => void): boolean {
  const listening = (server as unknown as { _handle: ListeningHandle | null })._handle;
  const serve = listening?.onconnection;
  if (listening === null || typeof serve !== 'function' || !internals.handOver) {
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
