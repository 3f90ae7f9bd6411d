import { badRequest } from './bad-request.js';

const NUMBER = /^[0-9]{1,10}$/;

/**
 * The Max-Forwards that goes on (RFC 9110, section 7.6.2), or undefined if this proxy is where the request ends.
 *
 * @throws {@link ProxyFailure} `bad_request` for what is no number
 */
export function nextMaxForwards(value: string): number | undefined {
  if (!NUMBER.test(value)) throw badRequest('Max-Forwards that is no number');
  const left = Number(value);
  return left === 0 ? undefined : left - 1;
}
