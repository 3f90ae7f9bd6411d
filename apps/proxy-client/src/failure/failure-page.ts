import { createHash } from 'node:crypto';
import { REASON_PHRASES } from '../http/answer-parts.js';
import type { FailureCategory } from './failure-table.js';
import type { ProxyFailure } from './proxy-failure.js';

type Hop = 'client' | 'proxy' | 'upstream' | 'beyond' | 'destination';

/** The way of a request, hop by hop. */
const WAY: Readonly<Record<Hop, string>> = {
  client: 'from this browser to the proxy',
  proxy: 'in the proxy',
  upstream: 'from the proxy to its SOCKS5 server',
  beyond: 'from there to the destination',
  destination: 'the answer of the destination',
};

/** Where failures happen; what is not named here is the proxy's own. */
const HOPS = new Map<FailureCategory, Hop>([
  ...hop('client', 'bad_request', 'request_body_malformed', 'request_body_timeout', 'request_timeout'),
  ...hop('client', 'request_header_too_large', 'scheme_not_supported'),
  ...hop('client', 'authentication_required', 'authentication_failed'),
  ...hop('upstream', 'auth_failed', 'upstream_unreachable', 'upstream_closed', 'upstream_speaks_ssh'),
  ...hop('upstream', 'upstream_speaks_http', 'timeout', 'protocol_error', 'command_not_supported'),
  ...hop('beyond', 'general_failure', 'not_allowed', 'network_unreachable', 'host_unreachable', 'connection_refused'),
  ...hop('beyond', 'ttl_expired', 'address_not_supported', 'closed_at_request'),
  ...hop('beyond', 'direct_unresolved', 'direct_refused', 'direct_unreachable', 'direct_timeout'),
  ...hop('destination', 'response_incomplete', 'response_malformed', 'response_header_too_large'),
  ...hop('destination', 'response_timeout', 'response_cut'),
]);

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:12vh auto;padding:0 1.5rem}
h1{font-size:1.3rem}
li{opacity:.6}
.here{opacity:1;font-weight:600}
small{opacity:.7}`;

/** What a page of a failure may do in the origin's place: show its one style. */
export const PAGE_FIELDS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hashOf(STYLE)}'; base-uri 'none'; form-action 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/**
 * The page of a failure, for browsers: what happened, where on the way, what to check. It appears in the security context of
 * the origin that was asked for, so nothing of the request stands in it but the host.
 *
 * @param host - of the target, if it is known
 */
export function failurePage({ category, row }: ProxyFailure, host: string | undefined): string {
  const at = HOPS.get(category) ?? 'proxy';
  const end = row.text.indexOf('. ') + 1;
  const [what, check] = end === 0 ? [row.text, ''] : [row.text.slice(0, end), row.text.slice(end + 1)];
  const title = `${row.status} ${REASON_PHRASES[row.status] ?? ''}`;
  const hops = (Object.keys(WAY) as Hop[]).map((each) => `<li${each === at ? ' class="here"' : ''}>${WAY[each]}</li>`);
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
<p><small>${title}, said by the proxy (proxy-client), not by the site.</small></p>
</main>
</html>
`;
}

function hop(where: Hop, ...categories: readonly FailureCategory[]): (readonly [FailureCategory, Hop])[] {
  return categories.map((category) => [category, where] as const);
}

function hashOf(style: string): string {
  return createHash('sha256').update(style).digest('base64');
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
