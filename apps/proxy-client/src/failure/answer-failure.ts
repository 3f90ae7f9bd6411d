import { hash } from 'node:crypto';
import { hostOf, splitHttpUrl } from '../http/authority.js';
import { ownResponse, REASON_PHRASES, type ResponseFields, type ResponseForm } from '../http/own-response.js';
import type { RequestHead } from '../http/request-head.js';
import type { Hop } from './failure-table.js';
import type { ProxyFailure } from './proxy-failure.js';

/** This proxy's name in Proxy-Status. */
const PROXY_NAME = 'proxy-client';

/** Formats an sf-string (RFC 8941, section 3.3.3); characters that it cannot contain are dropped. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}

/** Formats the value of Proxy-Status (RFC 9209, section 2). */
function proxyStatus(failure: ProxyFailure): string {
  const { replyCode, detail: step, rule, refusal } = failure.facts;
  // The refusal of a rule is its number; without a rule it is the way to ask.
  const detail = rule === undefined ? (refusal ?? step) : step;
  const details = [
    ...(replyCode === undefined ? [] : [`SOCKS5 reply 0x${replyCode.toString(16).padStart(2, '0')}`]),
    ...(detail === undefined ? [] : [detail]),
  ].join('; ');
  return `${PROXY_NAME}; error=${failure.row.proxyStatus}${details === '' ? '' : `; details=${quoted(details)}`}`;
}

/** The form of a failure's answer. */
export interface FailureForm extends ResponseForm {
  /** For a browser: a page with the requested host, if it is known. */
  readonly page?: { readonly host: string | undefined } | undefined;
}

const RETRY_SECONDS = '5';
const PLAIN_FIELDS = { 'Content-Type': 'text/plain; charset=utf-8' };

/** Formats a failure as a complete HTTP answer (latin1). */
export function failureAnswer(failure: ProxyFailure, { keepAlive, withBody, page }: FailureForm): string {
  const { status, closes } = failure.row;
  const { text } = failure;
  const body = page === undefined ? `${text}\n` : failurePage(failure, page.host);
  const fields = {
    ...(page === undefined ? PLAIN_FIELDS : PAGE_FIELDS),
    'Proxy-Status': proxyStatus(failure),
    // Clients that wait and try again find a late yes.
    ...(failure.category === 'unanswered' && { 'Retry-After': RETRY_SECONDS }),
    ...(status === 407 && { 'Proxy-Authenticate': 'Basic realm="proxy-client", charset="UTF-8"' }),
  };
  return ownResponse(status, fields, body, { keepAlive: keepAlive && !closes, withBody });
}

/** The path of a request, hop by hop. */
const PATH: Readonly<Record<Hop, string>> = {
  client: 'from this browser to the proxy',
  proxy: 'in the proxy',
  upstream: 'from the proxy to its upstream server',
  beyond: 'from there to the destination',
  destination: 'the answer of the destination',
};

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:12vh auto;padding:0 1.5rem}
h1{font-size:1.3rem}
li{opacity:.6}
.here{opacity:1;font-weight:600}
small{opacity:.7}`;

/** The header fields of a failure page, which appears in the security context of the origin: it may only apply its style. */
const PAGE_FIELDS: ResponseFields = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/**
 * Returns the page of a failure, for browsers: what happened, at which hop, what to check. It appears in the security context
 * of the requested origin, so it contains nothing of the request but the host.
 *
 * @param host - of the target, if it is known
 */
function failurePage(failure: ProxyFailure, host: string | undefined): string {
  const { row, text } = failure;
  const end = text.indexOf('. ') + 1;
  const [what, check] = end === 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
  const title = `${row.status} ${REASON_PHRASES[row.status] ?? ''}`;
  const hops = (Object.keys(PATH) as Hop[]).map(
    (each) => `<li${each === row.hop ? ' class="here"' : ''}>${PATH[each]}</li>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
<main>
<h1>${escaped(what)}</h1>
${check === '' ? '' : `<p>${escaped(check)}</p>\n`}${host === undefined ? '' : `<p>Asked for: <code>${escaped(host)}</code></p>\n`}<p>Where it failed:</p>
<ol>
${hops.join('\n')}
</ol>
<p><small>${title}, sent by the proxy (proxy-client), not by the site.</small></p>
</main>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const ACCEPT = /^accept$/i;
const NOT_ACCEPTABLE = /^q=0(?:\.0*)?$/;
/** Media ranges of Accept, and parameters of one, that are read: browsers send fewer than ten. */
const MAX_RANGES = 100;

/** Returns the content of a failure page; undefined for clients that do not ask for HTML, and for CONNECT, whose response browsers hide. */
export function pageFor({
  method,
  target,
  host,
  lines,
}: RequestHead): { readonly host: string | undefined } | undefined {
  if (method === 'CONNECT') return undefined;
  const wantsHtml = lines.some(({ name, value }) => ACCEPT.test(name) && acceptsHtml(value));
  return wantsHtml ? { host: hostOf(splitHttpUrl(target)?.authority ?? host ?? '') } : undefined;
}

/** Whether Accept names HTML with a weight other than 0 (RFC 9110, section 12.4.2). */
function acceptsHtml(accept: string): boolean {
  return accept.split(',', MAX_RANGES).some((range) => {
    const [type, ...parameters] = range.split(';', MAX_RANGES).map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((each) => NOT_ACCEPTABLE.test(each));
  });
}
