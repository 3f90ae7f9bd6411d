const BASIC = /^basic +([A-Za-z0-9+/]*={0,2})$/i;
const DIGITS = /^[0-9]{1,16}$/;
const NO_OPTIONS: ReadonlySet<string> = new Set();

/** Parses Content-Length (RFC 9112, section 6.3); undefined if it is not a length that can be counted. */
export function parseContentLength(value: string): number | undefined {
  if (!DIGITS.test(value)) return undefined;
  const length = Number(value);
  return length <= Number.MAX_SAFE_INTEGER ? length : undefined;
}

/**
 * Parses the options of Connection (RFC 9110, section 7.6.1) to lower case. Each may name a hop-by-hop field.
 *
 * @param value - all values of the field, joined by commas; empty if there is none
 */
export function connectionOptions(value: string): ReadonlySet<string> {
  if (value === '') return NO_OPTIONS;
  const options = new Set<string>();
  for (const option of value.toLowerCase().split(',')) {
    const name = option.trim();
    if (name !== '') options.add(name);
  }
  return options;
}

/** Joins the values of two lines of the same list field (RFC 9110, section 5.3). */
export function joinValues(before: string, value: string): string {
  return before === '' ? value : `${before}, ${value}`;
}

/** User name and password of the Basic scheme (RFC 7617). */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Parses a Proxy-Authorization of the scheme Basic (RFC 7617, section 2), in UTF-8.
 *
 * @returns undefined for another scheme, for several values, and for a value without user name and password
 */
export function readBasic(value: string): BasicCredentials | undefined {
  const encoded = BASIC.exec(value)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
