/** An API key (`callers/api-key.ts`) or a JWT (RFC 7519: three or more parts of base64url, the first a JSON object). */
const SECRET = /lk_[0-9a-z]{8}_[0-9A-Za-z]{20,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g;
/** Parameters that are made for keys and tokens, such as that of RFC 6750, 2.3. */
const SECRET_PARAMETER = /[?#&;](?:access[_-]?token|x?[_-]?api[_-]?key|authorization)=/i;

/**
 * Whether a URL carries a key or a token, or means to. URLs stand in the logs of everything on the way, in browsers'
 * histories and in `Referer`: what stood there is no secret any more.
 */
export function hasSecret(url: string): boolean {
  const text = decoded(url);
  const query = text.search(/[?#]/);
  return withoutSecrets(text) !== text || (query !== -1 && SECRET_PARAMETER.test(text.slice(query)));
}

/** A URL as it may be logged: without its query, and without what looks like a key or a token. */
export function loggedUrl(url: string): string {
  const path = url.split('?', 1).join('');
  return hasSecret(path) ? withoutSecrets(decoded(path)) : path;
}

/** A text as it may be shown and logged: what looks like a key or a token is left out. */
export function withoutSecrets(text: string): string {
  return text.replace(SECRET, '***');
}

/** With its ASCII decoded, which keys, tokens and names of parameters are made of: also where the rest is malformed. */
function decoded(url: string): string {
  // Most have nothing to decode.
  if (!url.includes('%')) return url;
  return url.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
