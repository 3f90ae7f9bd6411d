import type { OtherProtocol, Socks5Error, Socks5ErrorCode } from '#socks5-protocol';
import type { FailureCategory } from '../failure/failure-table.js';
import { ProxyFailure } from '../failure/proxy-failure.js';

/** The categories of the failing reply codes of RFC 1928, section 6, from 1. */
const REPLIES: readonly FailureCategory[] = [
  'general_failure',
  'not_allowed',
  'network_unreachable',
  'host_unreachable',
  'connection_refused',
  'ttl_expired',
  'command_not_supported',
  'address_not_supported',
];

const CATEGORIES: Readonly<Record<Socks5ErrorCode, FailureCategory>> = {
  'SOCKS5.INVALID_TARGET': 'bad_request',
  'SOCKS5.INVALID_CREDENTIALS': 'auth_failed',
  'SOCKS5.PROTOCOL': 'protocol_error',
  'SOCKS5.METHOD_REFUSED': 'auth_failed',
  'SOCKS5.METHOD_NOT_OFFERED': 'auth_failed',
  'SOCKS5.CREDENTIALS_REFUSED': 'auth_failed',
  // An unknown reply code; the known ones are in REPLIES.
  'SOCKS5.REPLY': 'protocol_error',
  'SOCKS5.UNREACHABLE': 'upstream_unreachable',
  'SOCKS5.CLOSED': 'upstream_closed',
  'SOCKS5.TIMEOUT': 'timeout',
  'SOCKS5.ABORTED': 'internal',
};

const PROTOCOLS: Readonly<Record<OtherProtocol, FailureCategory>> = {
  SSH: 'upstream_speaks_ssh',
  HTTP: 'upstream_speaks_http',
};

/**
 * Converts a failure of the SOCKS5 exchange to a failure of the proxy.
 *
 * @param hasSucceeded - whether the server has completed a handshake before: if it then closes the connection instead of
 *   replying to the request, the target is the cause and not the server
 */
export function failureOfSocksError(error: Socks5Error, hasSucceeded: boolean): ProxyFailure {
  const { code, phase, protocol, replyCode } = error;
  if (replyCode !== undefined) {
    return new ProxyFailure(REPLIES[replyCode - 1] ?? CATEGORIES[code], { replyCode }, error);
  }
  const isTargets = code === 'SOCKS5.CLOSED' && phase === 'request' && hasSucceeded;
  const category = protocol === undefined ? CATEGORIES[code] : PROTOCOLS[protocol];
  return new ProxyFailure(isTargets ? 'closed_at_request' : category, {}, error);
}
