import type { Socket } from 'node:net';

/**
 * The part of a socket that the proxy uses: a TCP connection, a unix socket, or a TLS connection over one of them. It does not
 * include what only TCP supports; {@link abort} works with every kind.
 */
export interface ConnectionSocket extends Pick<
  Socket,
  | 'bytesRead'
  | 'bytesWritten'
  | 'cork'
  | 'destroyed'
  | 'destroySoon'
  | 'errored'
  | 'off'
  | 'on'
  | 'once'
  | 'pause'
  | 'readableEnded'
  | 'remoteAddress'
  | 'resume'
  | 'uncork'
  | 'writable'
  | 'writableEnded'
  | 'writableFinished'
  | 'writableLength'
  | 'writableNeedDrain'
  | 'write'
> {
  destroy(): unknown;
  end(): unknown;
}

/** The connections that TLS connections run over. */
const carriers = new WeakMap<ConnectionSocket, ConnectionSocket>();

/** Records that a TLS connection runs over another connection, which {@link abort} resets. */
export function setCarrier(tls: ConnectionSocket, carrier: ConnectionSocket): void {
  carriers.set(tls, carrier);
}

/**
 * Resets a connection, so that a truncated transfer does not look complete to its peer. With TLS this resets the TCP
 * connection underneath. A unix socket has no reset and is closed.
 */
export function abort(socket: ConnectionSocket): void {
  const carrier = carriers.get(socket);
  if (carrier !== undefined) abort(carrier);
  // libuv refuses a reset while it waits to send the end, and the descriptor would stay open.
  else if (!socket.writableEnded || socket.writableFinished) reset(socket as Socket);
  // Also after a reset of the carrier: not every TLS connection notices that.
  socket.destroy();
}

/** The time without bytes after which keep-alive asks a peer. */
const KEEP_ALIVE_DELAY_MS = 60_000;

/**
 * Enables TCP keep-alive, which detects a silent peer that has vanished. It takes four system calls, so connections that close before the
 * first sweep do without it. With TLS it is enabled on the connection underneath.
 */
export function enableKeepAlive(socket: ConnectionSocket): void {
  const carrier = carriers.get(socket);
  if (carrier === undefined) (socket as Socket).setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
  else enableKeepAlive(carrier);
}

/**
 * Closes a connection to which everything was written: closing a socket sends the end too, with one system call instead of two.
 * TLS sends its own end (close_notify, RFC 8446, section 6.1) first.
 */
export function closeWritten(socket: ConnectionSocket): void {
  if (carriers.has(socket)) socket.destroySoon();
  else socket.destroy();
}

function reset(socket: Socket): void {
  try {
    socket.resetAndDestroy();
  } catch {
    // ERR_INVALID_HANDLE_TYPE: not a TCP connection.
  }
}
