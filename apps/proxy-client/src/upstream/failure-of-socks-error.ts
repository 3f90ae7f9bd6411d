import { type OtherProtocol, Reply, type Socks5Error, type Socks5ErrorCode } from '#socks5-protocol';
import type { FailureCategory } from '../failure/failure-table.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { ConnectCancelled } from './upstream.js';

/** The failing reply codes of RFC 1928, section 6. */
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
  // An unknown reply code; the known ones are in REPLIES.
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
 * Converts a failure of the SOCKS5 exchange to a failure of the proxy.
 *
 * @param hasSucceeded - whether the server has completed a handshake before: if it then closes the connection instead of
 *   replying to the request, the target is the cause and not the server
 */
export function failureOfSocksError(error: Socks5Error, hasSucceeded: boolean): ProxyFailure | ConnectCancelled {
  const { code, replyCode } = error;
  if (code === 'SOCKS5.ABORTED') {
    return new ConnectCancelled();
  }
  return replyCode === undefined
    ? new ProxyFailure(categoryOf(error, hasSucceeded), {}, error)
    : new ProxyFailure(REPLIES.get(replyCode) ?? CATEGORIES[code], { replyCode }, error);
}

function categoryOf({ code, phase, protocol }: Socks5Error, hasSucceeded: boolean): FailureCategory {
  if (code === 'SOCKS5.CLOSED' && phase === 'request' && hasSucceeded) {
    return 'closed_at_request';
  }
  return protocol === undefined ? CATEGORIES[code] : PROTOCOLS[protocol];
}
