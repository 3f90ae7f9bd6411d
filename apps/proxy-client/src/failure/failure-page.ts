import { createHash } from 'node:crypto';
import { REASON_PHRASES } from '../http/answer-parts.js';
import type { Hop } from './failure-table.js';
import type { ProxyFailure } from './proxy-failure.js';

/** The path of a request, hop by hop. */
const PATH: Readonly<Record<Hop, string>> = {
  client: 'from this browser to the proxy',
  proxy: 'in the proxy',
  upstream: 'from the proxy to its SOCKS5 server',
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
export const PAGE_FIELDS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hashOf(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/**
 * Returns the page of a failure, for browsers: what happened, at which hop, what to check. It appears in the security context
 * of the requested origin, so it contains nothing of the request but the host.
 *
 * @param host - of the target, if it is known
 */
export function failurePage({ row }: ProxyFailure, host: string | undefined): string {
  const end = row.text.indexOf('. ') + 1;
  const [what, check] = end === 0 ? [row.text, ''] : [row.text.slice(0, end), row.text.slice(end + 1)];
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
