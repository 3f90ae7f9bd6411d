/** Where a request goes: to /stats or /health, nowhere (it names this listener, which has nothing else), or onwards. */
export type RequestRoute = 'monitoring' | 'not_found' | 'proxy';

/** What decides about a request's way. */
export interface RoutedRequest {
  /** The request target as it was sent. */
  readonly url: string;
  /** The Host header. */
  readonly host: string | undefined;
}

const MONITORING = new Set(['/stats', '/health']);
const SLASH = 0x2f;

/**
 * Decides about a request with any method but CONNECT. Origin-form /stats and /health are ours whatever Host says (who
 * may see them is decided there); every other origin-form target is forwarded to its Host, unless that is this listener.
 * Absolute-form is forwarded, whatever its path, unless its authority is this listener: then it is read as origin-form
 * (RFC 9112, section 3.2.2: the authority wins over Host).
 *
 * @param isOwn - whether an authority names this listener
 */
export function requestRoute({ url, host }: RoutedRequest, isOwn: (authority: string) => boolean): RequestRoute {
  if (url.charCodeAt(0) === SLASH || url === '*') {
    if (MONITORING.has(pathOf(url))) return 'monitoring';
    return host !== undefined && isOwn(host) ? 'not_found' : 'proxy';
  }
  const authority = authorityOf(url);
  if (authority === undefined || !isOwn(authority)) return 'proxy';
  return MONITORING.has(pathOf(ownPath(url))) ? 'monitoring' : 'not_found';
}

/** The authority of an absolute-form http target. */
function authorityOf(url: string): string | undefined {
  return /^http:\/\/([^/?#]*)/i.exec(url)?.[1];
}

/** An absolute-form target of this listener as origin-form. */
export function ownPath(url: string): string {
  const path = url.slice('http://'.length).search(/[/?#]/);
  const rest = path === -1 ? '' : url.slice('http://'.length + path);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
