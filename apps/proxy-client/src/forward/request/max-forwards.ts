import { badRequest } from './bad-request.js';

const NUMBER = /^[0-9]{1,10}$/;

/**
 * The Max-Forwards that goes on (RFC 9110, section 7.6.2): none if none came, `here` if this proxy is where the request
 * ends.
 *
 * @throws {@link ProxyFailure} `bad_request` for what is no number
 */
export function nextMaxForwards(value: string | undefined): number | 'here' | undefined {
  if (value === undefined) return undefined;
  if (!NUMBER.test(value)) throw badRequest('Max-Forwards that is no number');
  const left = Number(value);
  return left === 0 ? 'here' : left - 1;
}
