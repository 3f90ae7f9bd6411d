import type { ProxyFailure } from './proxy-failure.js';

/** A failure as an HTTP answer; `headers` come without Date and, where the connection may stay, without Connection. */
export interface RenderedFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** This proxy's name in Proxy-Status. */
export const PROXY_NAME = 'proxy-client';

/** Text as an sf-string of RFC 8941, section 3.3.3; what cannot stand in one is left out. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}

/** The value of Proxy-Status (RFC 9209, section 2): who failed, how, and what is known beside. */
export function proxyStatus(failure: ProxyFailure): string {
  const { replyCode, detail } = failure.facts;
  const details = [
    ...(replyCode === undefined ? [] : [`SOCKS5 reply 0x${replyCode.toString(16).padStart(2, '0')}`]),
    ...(detail === undefined ? [] : [detail]),
  ].join('; ');
  return `${PROXY_NAME}; error=${failure.row.proxyStatus}${details === '' ? '' : `; details=${quoted(details)}`}`;
}

/** The HTTP answer to a request that failed: the same on a raw socket and in a response of node:http. */
export function renderFailure(failure: ProxyFailure): RenderedFailure {
  const { status, text, closes } = failure.row;
  const body = `${text}\n`;
  return {
    status,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      'Proxy-Status': proxyStatus(failure),
      ...(status === 407 ? { 'Proxy-Authenticate': 'Basic realm="proxy-client", charset="UTF-8"' } : {}),
      ...(closes ? { Connection: 'close' } : {}),
    },
    body,
  };
}
