import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { answerOf } from '../http/error-answers.js';
import type { ApiError } from '../http/errors.js';

/** Of what a client sends after its last answer, this many bytes are read and dropped. */
const LINGER_BYTES = 1024 * 1024;

/** Writes an error in the API's shape to a connection and closes it like {@link closeAfterAnswer}. */
export function refuse(socket: Socket, error: ApiError, lingerMs: number): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.write(textOf(error));
  closeAfterAnswer(socket, lingerMs);
}

/**
 * Closes a connection after its last answer. What arrives later is dropped for a while, because a connection that is closed
 * with unread bytes is reset, and the client may lose the answer (RFC 9112, section 9.6).
 */
export function closeAfterAnswer(socket: Socket, lingerMs: number): void {
  socket.end();
  dropInput(socket, lingerMs);
}

function textOf(error: ApiError): string {
  const { status, headers, body } = answerOf(error);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
    'X-Content-Type-Options: nosniff',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

/** Closes the connection when the client does, at the latest after a time. Reads no more than {@link LINGER_BYTES} of it. */
function dropInput(socket: Socket, lingerMs: number): void {
  let left = LINGER_BYTES;
  // Node's parser must see none of it: the rest of a request that was refused as late would be executed.
  socket.removeAllListeners('data');
  socket.on('data', ({ length }: Buffer) => {
    left -= length;
    // Not closed yet: the reset would reach a client that has not read its answer.
    if (left < 0) socket.pause();
  });
  socket.resume();
  const timer = setTimeout(() => {
    socket.destroy();
  }, lingerMs);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}
