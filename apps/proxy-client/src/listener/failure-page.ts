import type { RequestHead } from '../http/request-head.js';
import { hostOf } from './host-header.js';
import { authorityOf } from './request-route.js';

const ACCEPT = /^accept$/i;
const REFUSED = /^q=0(?:\.0*)?$/;

/** What a failure shows to a browser; undefined for others, and for CONNECT, behind which a browser shows nothing of ours. */
export function pageFor({
  method,
  target,
  host,
  lines,
}: RequestHead): { readonly host: string | undefined } | undefined {
  if (method === 'CONNECT') return undefined;
  for (let line = 0; line < lines.length; line += 1) {
    if (ACCEPT.test(lines.name(line)) && acceptsHtml(lines.value(line)))
      return { host: hostOf(authorityOf(target) || (host ?? '')) };
  }
  return undefined;
}

/** Whether the client names HTML, and not as what it does not take (RFC 9110, section 12.4.2). */
function acceptsHtml(accept: string): boolean {
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((each) => REFUSED.test(each));
  });
}
