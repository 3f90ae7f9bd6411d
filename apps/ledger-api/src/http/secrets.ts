import { unescape } from 'node:querystring';

/** An API key (`libs/ledger-callers/src/api-key.ts`). */
const API_KEY = /lk_[0-9a-z]{8}_[0-9A-Za-z]{20,}/g;
/** A run of the characters that a JWT consists of: parts in base64url with dots between them (RFC 7519). */
const DOTTED_RUN = /[\w.-]+/g;
/** How the header of a JWT begins: `{"` in base64url. */
const JWT_START = 'eyJ';
/** Shortest header in characters, `{"alg":""}` and longer. */
const JWT_HEADER = 11;
/** Parameters that are made for keys and tokens, such as that of RFC 6750, section 2.3. */
const SECRET_PARAMETER = /[?#&;](?:access[_-]?token|x?[_-]?api[_-]?key|authorization)=/i;

/**
 * Checks whether a URL contains a key, a token, or a parameter that is made for one. URLs are stored in the logs of every
 * server on the way, in browser histories and in `Referer`: a secret in a URL has to be revoked.
 *
 * The time is linear in the length of the URL, which is read before authentication.
 */
export function hasSecret(url: string): boolean {
  // Unlike decodeURIComponent, this also decodes a URL that is malformed elsewhere.
  const text = unescape(url);
  const query = text.search(/[?#]/);
  return withoutSecrets(text) !== text || (query !== -1 && SECRET_PARAMETER.test(text.slice(query)));
}

/** Returns a URL in the form in which it may be logged: without its query, and with keys and tokens masked. */
export function loggedUrl(url: string): string {
  const path = url.split('?', 1).join('');
  return hasSecret(path) ? withoutSecrets(unescape(path)) : path;
}

/** Returns a text with keys and tokens replaced by `***`, for answers and logs. */
export function withoutSecrets(text: string): string {
  const withoutKeys = text.replace(API_KEY, '***');
  return withoutKeys.includes(JWT_START) ? withoutKeys.replace(DOTTED_RUN, withoutToken) : withoutKeys;
}

/**
 * Masks a JWT in a run of its characters. Looks at the first `eyJ` of each part only: a regular expression that tries each
 * of them takes quadratic time.
 */
function withoutToken(run: string): string {
  const parts = run.split('.');
  let start = 0;
  for (const [index, part] of parts.entries()) {
    const header = part.indexOf(JWT_START);
    const hasHeader = header !== -1 && part.length - header >= JWT_HEADER;
    if (hasHeader && parts[index + 1] !== '' && index + 2 < parts.length) return `${run.slice(0, start + header)}***`;
    start += part.length + 1;
  }
  return run;
}
