import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isTrustedHost } from '../http/authority.js';

/** Who may see the admin pages, and which of them exist. */
export interface AccessRules {
  /** Accepted names in the Host header, in addition to addresses and localhost; in lower case. */
  readonly allowedHosts: ReadonlySet<string>;
  /** The admin token; undefined if none is required. */
  readonly token: string | undefined;
  /** Whether /proxy.pac is served without the token, because a proxy listener serves it to everyone. */
  readonly isPacOpen: boolean;
  /** Whether /stats and /health exist, because a proxy listener accepts HTTP. */
  readonly hasMonitoring: boolean;
}

/** The reason why a request is refused. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** Checks the Host header, because DNS rebinding lets any web page send requests to this listener. */
export function refusalOfHost(request: IncomingMessage, { allowedHosts }: AccessRules): Refusal | undefined {
  const { rawHeaders, httpVersion, headers } = request;
  const count = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (count !== 1 && httpVersion !== '1.0') return { status: 400, text: 'The request must have one Host header.' };
  if (isTrustedHost(headers.host, allowedHosts)) return undefined;
  return { status: 403, text: 'Use an IP address or localhost in the URL, or add the name to listen.allowedHosts.' };
}

/** Returns whether a write does not come from a web page of another origin. Only browsers send these headers. */
export function isSameOrigin({ origin, host = '', 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return origin === undefined || origin.toLowerCase() === `http://${host}`.toLowerCase();
}

/** The response header, and the request header, with the short id of the admin token. */
export const TOKEN_ID = 'x-admin-token-id';
const ID_LENGTH = 8;

/** Why a request lacks authorization: `X-Error-Code` without its prefix. */
export type TokenFault = 'TOKEN_REQUIRED' | 'TOKEN_WRONG' | 'TOKEN_CHANGED';

/**
 * Checks the admin token of a request. A client that sends the id of a token that it used before learns whether the token has changed.
 *
 * @returns undefined if the request carries the token, or needs none
 */
export function tokenFault(headers: IncomingHttpHeaders, { token }: AccessRules): TokenFault | undefined {
  if (token === undefined) return undefined;
  const [, given] = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? '') ?? [];
  // Digests have one length, so that the comparison takes the same time for every token.
  if (given !== undefined && timingSafeEqual(digest(given), digest(token))) return undefined;
  const id = headers[TOKEN_ID];
  if (id !== undefined && id !== tokenId(token)) return 'TOKEN_CHANGED';
  return given === undefined ? 'TOKEN_REQUIRED' : 'TOKEN_WRONG';
}

/** Returns the short id of the admin token, which is sent only to clients that have the token. */
export function tokenId(token: string): string {
  return digest(`id of ${token}`).toString('hex').slice(0, ID_LENGTH);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
