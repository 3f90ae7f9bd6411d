/** A page of the listener's own that is asked for: what else names it has nothing behind it. */
export interface OwnPage {
  readonly path: string;
  /** The authority that was asked: of the target, if it has one, which wins over Host (RFC 9112, section 3.2.2). */
  readonly host: string | undefined;
}

/** What tells the listener's own pages from the rest. */
export interface OwnSpace {
  /** Whether an authority names this listener. */
  readonly isOwn: (authority: string) => boolean;
  readonly pages: { has(path: string): boolean };
}

/** What decides about a request's way. */
export interface RoutedRequest {
  /** The request target as it was sent. */
  readonly target: string;
  /** The Host header. */
  readonly host: string | undefined;
}

const SLASH = 0x2f;
const HTTP = 'http://';
const ABSOLUTE = /^http:\/\/([^/?#]*)(.*)$/is;

/**
 * Decides about a request with any method but CONNECT. Origin-form /stats, /health and, where it is
 * served, /proxy.pac are ours whatever Host says (who
 * may see them is decided there); every other origin-form target is forwarded to its Host, unless that is this listener.
 * Absolute-form is forwarded, whatever its path, unless its authority is this listener: then it is read as origin-form.
 *
 * @returns undefined if it is to be forwarded
 */
export function ownPage({ target, host }: RoutedRequest, { isOwn, pages }: OwnSpace): OwnPage | undefined {
  if (target.charCodeAt(0) === SLASH || target === '*') {
    const path = pathOf(target);
    return pages.has(path) || (host !== undefined && isOwn(host)) ? { path, host } : undefined;
  }
  if (!isOwn(authorityOf(target))) return undefined;
  const [, authority, rest = ''] = ABSOLUTE.exec(target) ?? [];
  return { path: pathOf(rest.startsWith('/') ? rest : `/${rest}`), host: authority };
}

/** The authority of an absolute-form http target, empty for others; cut out without a match, since nearly all requests have one. */
export function authorityOf(target: string): string {
  if (!target.startsWith(HTTP)) return ABSOLUTE.exec(target)?.[1] ?? '';
  const slash = target.indexOf('/', HTTP.length);
  const end = slash === -1 ? target.length : slash;
  const query = target.indexOf('?', HTTP.length);
  return target.slice(HTTP.length, query === -1 ? end : Math.min(end, query));
}

function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}
