import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Visible ASCII: what fits into a header and a log line without escaping. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/**
 * Makes the function that names requests: the caller's X-Request-Id if it is acceptable, else a counter behind a random
 * prefix for each process (a UUID costs more than the rest of the request's bookkeeping).
 */
export function requestIds(prefix = randomBytes(5).toString('hex')): (request: IncomingMessage) => string {
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    if (typeof given === 'string' && ACCEPTABLE.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
