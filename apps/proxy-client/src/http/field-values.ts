const BASIC = /^basic +([A-Za-z0-9+/]*={0,2})$/i;
const DIGITS = /^[0-9]{1,16}$/;
const NONE: ReadonlySet<string> = new Set();
const KEEP_ALIVE: ReadonlySet<string> = new Set(['keep-alive']);
const CLOSE: ReadonlySet<string> = new Set(['close']);
const FREQUENT = new Map([
  ['', NONE],
  ['keep-alive', KEEP_ALIVE],
  ['Keep-Alive', KEEP_ALIVE],
  ['close', CLOSE],
  ['Close', CLOSE],
]);

/** The value of Content-Length (RFC 9112, section 6.3) in bytes, or undefined if it is no length that can be counted. */
export function parseContentLength(value: string): number | undefined {
  if (!DIGITS.test(value)) return undefined;
  const length = Number(value);
  return length <= Number.MAX_SAFE_INTEGER ? length : undefined;
}

/**
 * The options of Connection (RFC 9110, section 7.6.1) in lower case, each of which may name a field that ends here. One
 * pass, whatever the number of options.
 *
 * @param value - all values of the field, joined by commas; empty if there is none
 */
export function connectionOptions(value: string): ReadonlySet<string> {
  const frequent = FREQUENT.get(value);
  if (frequent !== undefined) return frequent;
  const options = new Set<string>();
  for (const option of value.toLowerCase().split(',')) {
    const name = option.trim();
    if (name !== '') options.add(name);
  }
  return options;
}

/** Whether the options name no field, beyond the two that say how long the connection lives. */
export function namesNoField(options: ReadonlySet<string>): boolean {
  return options === NONE || options === KEEP_ALIVE || options === CLOSE;
}

/** A user and a password as RFC 7617 has them. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

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
