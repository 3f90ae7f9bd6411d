import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, answerOf } from '../http/errors.js';

/** The answers to errors of Node's parser and timers before there is a request, by the code of their error. */
const REFUSALS: Readonly<Record<string, ApiError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('API.REQUEST_TIMEOUT'),
  HPE_HEADER_OVERFLOW: new ApiError('API.HEADER_TOO_LARGE'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError('API.BODY_TOO_LARGE', 'The chunk extensions of the body are too large.'),
};
const MALFORMED = new ApiError('API.INVALID_REQUEST', 'The request is not valid HTTP/1.1.');

/** Returns the error that answers an error of Node's HTTP server without a request. */
export function refusalOf(error: Error): ApiError {
  return REFUSALS[(error as NodeJS.ErrnoException).code ?? ''] ?? MALFORMED;
}

/** Writes an error in the API's shape to a bare connection and closes it. */
export function refuseConnection(socket: Duplex, error: ApiError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
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
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
