import { type OtherProtocol, Reply, type Socks5Error, type Socks5ErrorCode } from '#socks5-protocol';
import type { FailureCategory } from '../failure/failure-table.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { ConnectCancelled } from './upstream.js';

/** The reply codes of RFC 1928, section 6, that mean a failure. */
const REPLIES: ReadonlyMap<number, FailureCategory> = new Map<number, FailureCategory>([
  [Reply.generalFailure, 'general_failure'],
  [Reply.notAllowed, 'not_allowed'],
  [Reply.networkUnreachable, 'network_unreachable'],
  [Reply.hostUnreachable, 'host_unreachable'],
  [Reply.connectionRefused, 'connection_refused'],
  [Reply.ttlExpired, 'ttl_expired'],
  [Reply.commandNotSupported, 'command_not_supported'],
  [Reply.addressNotSupported, 'address_not_supported'],
]);

const CATEGORIES = {
  'SOCKS5.INVALID_TARGET': 'bad_request',
  'SOCKS5.INVALID_CREDENTIALS': 'auth_failed',
  'SOCKS5.PROTOCOL': 'protocol_error',
  'SOCKS5.METHOD_REFUSED': 'auth_failed',
  'SOCKS5.METHOD_NOT_OFFERED': 'auth_failed',
  'SOCKS5.CREDENTIALS_REFUSED': 'auth_failed',
  // A code that nobody knows; the known ones are looked up.
  'SOCKS5.REPLY': 'protocol_error',
  'SOCKS5.UNREACHABLE': 'upstream_unreachable',
  'SOCKS5.CLOSED': 'upstream_closed',
  'SOCKS5.TIMEOUT': 'timeout',
  'SOCKS5.ABORTED': 'internal',
} as const satisfies Record<Socks5ErrorCode, FailureCategory>;

const PROTOCOLS: Readonly<Record<OtherProtocol, FailureCategory>> = {
  SSH: 'upstream_speaks_ssh',
  HTTP: 'upstream_speaks_http',
};

/**
 * The proxy's failure for a failure of the SOCKS5 exchange.
 *
 * @param learned - whether the server has served a handshake before: one that then closes at the request, instead of a reply,
 *   says something of the target and not of itself
 */
export function failureOfSocksError(error: Socks5Error, learned: boolean): ProxyFailure | ConnectCancelled {
  const { code, replyCode } = error;
  if (code === 'SOCKS5.ABORTED') {
    return new ConnectCancelled();
  }
  return replyCode === undefined
    ? new ProxyFailure(categoryOf(error, learned), {}, error)
    : new ProxyFailure(REPLIES.get(replyCode) ?? CATEGORIES[code], { replyCode }, error);
}

function categoryOf({ code, phase, protocol }: Socks5Error, learned: boolean): FailureCategory {
  if (code === 'SOCKS5.CLOSED' && phase === 'request' && learned) {
    return 'closed_at_request';
  }
  return protocol === undefined ? CATEGORIES[code] : PROTOCOLS[protocol];
}
