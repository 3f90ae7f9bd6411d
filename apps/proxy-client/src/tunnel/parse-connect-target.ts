import type { IncomingMessage } from 'node:http';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { parseAuthority } from '../forward/request/authority.js';
import type { Target } from '../upstream/upstream.js';

/** No port stands for none: CONNECT has no default (RFC 9112, section 3.2.3), and port 0 is refused. */
const NO_DEFAULT_PORT = 0;

function bad(detail: string): ProxyFailure {
  return new ProxyFailure('bad_request', { detail });
}

/** The values of a header as they came: node:http's own collections cost more than a look at the few of a CONNECT. */
function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

function checkHost(count: number, httpVersion: string): void {
  if (count > 1 || (count === 0 && httpVersion === '1.1')) {
    throw bad('CONNECT needs one Host');
  }
}

function checkContent(rawHeaders: readonly string[]): void {
  const length = valuesOf(rawHeaders, 'content-length').join() || '0';
  if (valuesOf(rawHeaders, 'transfer-encoding').length > 0 || length !== '0') {
    throw bad('CONNECT with content');
  }
}

/**
 * The target of a CONNECT request, which is in authority-form and has no content (RFC 9110, section 9.3.6).
 *
 * @throws {@link ProxyFailure} `bad_request`
 */
export function parseConnectTarget({ httpVersion, rawHeaders, url = '' }: IncomingMessage): Target {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw bad('HTTP version');
  }
  checkHost(valuesOf(rawHeaders, 'host').length, httpVersion);
  checkContent(rawHeaders);
  return parseAuthority(url, NO_DEFAULT_PORT);
}
