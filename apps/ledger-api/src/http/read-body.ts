import type { IncomingMessage } from 'node:http';
import { errorCodes } from 'fastify';
import { InvalidRequestError } from './api.errors.js';

/** Called once, with an error or with the whole body. */
export type BodyTaker = (error: Error | undefined, body: Uint8Array) => void;

const NOTHING = new Uint8Array();

/**
 * Reads a request's body. One whose length the head told is whole with its last byte: Fastify's own reading waits for the
 * end of the stream, puts on and takes off a listener more for it, and copies the bytes.
 *
 * @param limit - longest body in bytes; for a longer one the error is Fastify's `FST_ERR_CTP_BODY_TOO_LARGE`
 */
export function readBody(payload: IncomingMessage, limit: number, take: BodyTaker): void {
  // Not a number for a chunked body, whose length only its end tells.
  const length = Number(payload.headers['content-length']);
  const parts: Uint8Array[] = [];
  let received = 0;
  let isSettled = false;
  const settle = (error?: Error): void => {
    if (isSettled) return;
    isSettled = true;
    take(error, error === undefined ? joined(parts) : NOTHING);
  };
  if (length > limit) {
    settle(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    return;
  }
  payload.on('data', (part: Uint8Array) => {
    if (isSettled) return;
    received += part.length;
    parts.push(part);
    if (received > limit) settle(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    else if (received === length) settle();
  });
  payload.on('error', () => {
    settle(new InvalidRequestError('The request could not be read.'));
  });
  if (length > 0) return;
  payload.on('end', () => {
    settle();
  });
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first = NOTHING] = parts;
  return parts.length <= 1 ? first : Buffer.concat(parts);
}
