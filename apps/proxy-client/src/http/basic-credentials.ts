/** A user and a password as RFC 7617 has them. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

const BASIC = /^basic +([A-Za-z0-9+/]*={0,2})$/i;

/**
 * Reads the value of a Proxy-Authorization with the scheme Basic (RFC 7617, section 2), in UTF-8.
 *
 * @returns undefined when it is another scheme, several values, or no user name and password
 */
export function readBasic(value: string): BasicCredentials | undefined {
  const encoded = BASIC.exec(value)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
