import { httpDate, REASON_PHRASES } from '../http/answer-parts.js';
import { failurePage, PAGE_FIELDS } from './failure-page.js';
import type { ProxyFailure } from './proxy-failure.js';

/** This proxy's name in Proxy-Status. */
export const PROXY_NAME = 'proxy-client';

/** Formats an sf-string (RFC 8941, section 3.3.3); characters that it cannot contain are dropped. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}

/** Formats the value of Proxy-Status (RFC 9209, section 2). */
function proxyStatus(failure: ProxyFailure): string {
  const { replyCode, detail } = failure.facts;
  const details = [
    ...(replyCode === undefined ? [] : [`SOCKS5 reply 0x${replyCode.toString(16).padStart(2, '0')}`]),
    ...(detail === undefined ? [] : [detail]),
  ].join('; ');
  return `${PROXY_NAME}; error=${failure.row.proxyStatus}${details === '' ? '' : `; details=${quoted(details)}`}`;
}

/** The form of a failure's answer. */
export interface FailureForm {
  /** Whether the connection stays open. */
  readonly keepAlive: boolean;
  /** False for HEAD. */
  readonly withBody: boolean;
  /** For a browser: a page with the requested host, if it is known. */
  readonly page?: { readonly host: string | undefined } | undefined;
}

const PLAIN_FIELDS = { 'Content-Type': 'text/plain; charset=utf-8' };

/** Formats a failure as a complete HTTP answer (latin1). */
export function failureAnswer(failure: ProxyFailure, { keepAlive, withBody, page }: FailureForm): string {
  const { status, text, closes } = failure.row;
  const body = page === undefined ? `${text}\n` : failurePage(failure, page.host);
  const fields = {
    ...(page === undefined ? PLAIN_FIELDS : PAGE_FIELDS),
    'Content-Length': String(Buffer.byteLength(body)),
    'Proxy-Status': proxyStatus(failure),
    ...(status === 407 && { 'Proxy-Authenticate': 'Basic realm="proxy-client", charset="UTF-8"' }),
    Date: httpDate(),
    Connection: keepAlive && !closes ? 'keep-alive' : 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? ''}\r\n${lines.join('')}\r\n${withBody ? body : ''}`;
}
