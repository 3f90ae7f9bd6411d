import { ProxyFailure } from '../../failure/proxy-failure.js';

/**
 * A request that breaks a rule: 400, the connection is closed, nothing of it goes anywhere.
 *
 * @param detail - which rule; constant, nothing of the request
 */
export function badRequest(detail: string): ProxyFailure {
  return new ProxyFailure('bad_request', { detail });
}
