import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ProxyFailure } from './proxy-failure.js';
import { renderFailure } from './render-failure.js';

/** So long the rest of a refused request is read away, at most. */
const LINGER_MS = 2000;

/**
 * Answers on a connection that carries no HTTP response object, then ends it. Always closes: what stands behind the
 * refused request cannot be trusted.
 */
export function answerFailure(socket: Socket, failure: ProxyFailure): void {
  endGently(socket, asText(failure, { keepAlive: false, withBody: true }));
}

/** How a failure is written to a socket. */
export interface FailureForm {
  /** Whether the connection goes on. */
  readonly keepAlive: boolean;
  /** Not to HEAD. */
  readonly withBody: boolean;
}

/** Writes the answer to a socket, byte for byte as node:http would; what becomes of the connection is for the caller. */
export function writeFailure(socket: Socket, failure: ProxyFailure, form: FailureForm): void {
  socket.write(asText(failure, form), 'latin1');
}

function asText(failure: ProxyFailure, { keepAlive, withBody }: FailureForm): string {
  const { status, headers, body } = renderFailure(failure);
  const { Connection = keepAlive ? 'keep-alive' : 'close', ...others } = headers;
  const lines = Object.entries({ ...others, Date: new Date().toUTCString(), Connection });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${withBody ? body : ''}`;
}

/** Answers through node:http, in the order of the requests, and closes if the failure says so. */
export function answerFailedRequest(response: ServerResponse, failure: ProxyFailure): void {
  const { status, headers, body } = renderFailure(failure);
  response.writeHead(status, headers).end(body);
}

/**
 * Writes the last bytes and ends the connection. What the client still sends is read away for a moment: closing a socket
 * with unread bytes resets the connection, and the client loses the answer (RFC 9112, section 9.6).
 */
function endGently(socket: Socket, last: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.on('error', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  socket.once('end', () => {
    socket.destroySoon();
  });
  socket.end(last, 'latin1');
  socket.resume();
}
