import type { IncomingMessage } from 'node:http';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { parseAuthority } from '../forward/request/authority.js';
import type { Target } from '../upstream/upstream.js';

/** No port stands for none: CONNECT has no default (RFC 9112, section 3.2.3), and port 0 is refused. */
const NO_DEFAULT_PORT = 0;

function bad(detail: string): ProxyFailure {
  return new ProxyFailure('bad_request', { detail });
}

function checkHost(count: number, httpVersion: string): void {
  if (count > 1 || (count === 0 && httpVersion === '1.1')) {
    throw bad('CONNECT needs one Host');
  }
}

function checkContent(headers: IncomingMessage['headersDistinct']): void {
  const length = headers['content-length']?.join() ?? '0';
  if (headers['transfer-encoding'] !== undefined || length !== '0') {
    throw bad('CONNECT with content');
  }
}

/**
 * The target of a CONNECT request, which is in authority-form and has no content (RFC 9110, section 9.3.6).
 *
 * @throws {@link ProxyFailure} `bad_request`
 */
export function parseConnectTarget({ httpVersion, headersDistinct, url = '' }: IncomingMessage): Target {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw bad('HTTP version');
  }
  checkHost(headersDistinct['host']?.length ?? 0, httpVersion);
  checkContent(headersDistinct);
  return parseAuthority(url, NO_DEFAULT_PORT);
}
