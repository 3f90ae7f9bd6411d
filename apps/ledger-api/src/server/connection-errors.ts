import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiErrorCode } from '../http/api.errors.js';

/** A status, a stable code and a text for a connection on which no request could be read. */
export interface Refusal {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly message: string;
}

/** What Node's parser and timers refuse before there is a request, by the code of their error. */
export const REFUSALS: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'API.REQUEST_TIMEOUT',
    message: 'The request did not arrive in time.',
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'API.HEADER_TOO_LARGE',
    message: 'The request line and headers are too large: at most 16 KiB are taken.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'API.BODY_TOO_LARGE',
    message: 'The chunk extensions of the body are too large.',
  },
};
const MALFORMED: Refusal = {
  status: 400,
  code: 'API.INVALID_REQUEST',
  message: 'The request is not valid HTTP/1.1.',
};

/** What an error of Node's HTTP server, which came before there was a request, is answered with. */
export function refusalOf(error: Error): Refusal {
  return REFUSALS[(error as NodeJS.ErrnoException).code ?? ''] ?? MALFORMED;
}

/** Writes an answer in the API's error shape onto a bare connection and ends it. */
export function refuseConnection(socket: Duplex, { status, code, message }: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ success: false, message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    'X-Content-Type-Options: nosniff',
    `X-Error-Code: ${code}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
