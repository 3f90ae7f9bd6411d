import type { IncomingMessage } from 'node:http';

/** So long the rest of a request is read away behind its answer, at most. */
const LINGER_MS = 2000;

/**
 * Ends the connection of a request that has been answered before all of it came. What the client still sends is read away
 * for a moment: closing a socket with unread bytes resets the connection, and the client loses the answer (RFC 9112,
 * section 9.6).
 */
export function closeGently(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete || socket.destroyed) {
    socket.destroySoon();
    return;
  }
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  request.once('end', () => {
    socket.destroySoon();
  });
  socket.end();
  request.resume();
}
