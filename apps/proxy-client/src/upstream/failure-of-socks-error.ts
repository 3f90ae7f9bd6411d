import type { OtherProtocol, Socks5Error, Socks5ErrorCode } from '#socks5-protocol';
import type { FailureCategory } from '../failure/failure-table.js';
import { ProxyFailure, type FailureFacts } from '../failure/proxy-failure.js';
import { REPLY_KEYS } from '../stats/proxy-stats.js';
import { isTlsError, PathError } from './server-path.js';

const CATEGORIES: Readonly<Record<Socks5ErrorCode, FailureCategory>> = {
  'SOCKS5.INVALID_TARGET': 'bad_request',
  'SOCKS5.INVALID_CREDENTIALS': 'auth_failed',
  'SOCKS5.PROTOCOL': 'protocol_error',
  'SOCKS5.METHOD_REFUSED': 'auth_failed',
  'SOCKS5.METHOD_NOT_OFFERED': 'auth_failed',
  'SOCKS5.CREDENTIALS_REFUSED': 'auth_failed',
  // An unknown reply code; the known ones are in REPLY_KEYS.
  'SOCKS5.REPLY': 'protocol_error',
  'SOCKS5.UNREACHABLE': 'upstream_unreachable',
  'SOCKS5.CLOSED': 'upstream_closed',
  'SOCKS5.TIMEOUT': 'timeout',
  'SOCKS5.ABORTED': 'internal',
  'SOCKS5.DEFECT': 'internal',
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
  const { code, cause } = error;
  if (cause instanceof PathError) return cause.toFailure();
  if (code === 'SOCKS5.DEFECT') return new ProxyFailure('internal', {}, cause);
  return failureOfHandshake(error, hasSucceeded);
}

function failureOfHandshake(error: Socks5Error, hasSucceeded: boolean): ProxyFailure {
  const { code, phase, replyCode } = error;
  if (replyCode !== undefined) {
    return new ProxyFailure(REPLY_KEYS[replyCode - 1] ?? CATEGORIES[code], { replyCode, fault: 'target' }, error);
  }
  if (code === 'SOCKS5.CLOSED' && phase === 'request' && hasSucceeded) {
    return new ProxyFailure('closed_at_request', { fault: 'target' }, error);
  }
  const isServerFault = code !== 'SOCKS5.INVALID_TARGET' && (phase !== 'request' || code === 'SOCKS5.PROTOCOL');
  const facts: FailureFacts = isServerFault ? { fault: 'server' } : {};
  return new ProxyFailure(categoryOf(error), facts, error);
}

function categoryOf({ code, protocol, cause }: Socks5Error): FailureCategory {
  // With TLS 1.3 a server refuses a client's certificate after the handshake.
  if (code === 'SOCKS5.CLOSED' && isTlsError((cause as NodeJS.ErrnoException | undefined)?.code))
    return 'upstream_tls_failed';
  return protocol === undefined ? CATEGORIES[code] : PROTOCOLS[protocol];
}
