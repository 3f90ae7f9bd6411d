import { kindOf, type FieldKind } from './field-kind.js';

/** Fields that mean nothing behind a body, or would change how it was read (RFC 9110, section 6.5.1). */
export const NOT_IN_TRAILER: ReadonlySet<FieldKind> = new Set<FieldKind>([
  'authorization',
  'connection',
  'content-length',
  'date',
  'expect',
  'host',
  'keep-alive',
  'max-forwards',
  'proxy',
  'te',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]);

/**
 * The trailer section of a request as it goes to the origin, the empty line included.
 *
 * @param rawTrailers - names and values, one after the other, as they came (latin1)
 * @param named - options of the request's Connection, in lower case: the fields that they name end here (RFC 9110, section
 *   7.6.1), wherever they stand
 */
export function requestTrailers(rawTrailers: readonly string[], named: ReadonlySet<string>): string {
  let section = '';
  for (let index = 0; index + 1 < rawTrailers.length; index += 2) {
    const name = rawTrailers[index] ?? '';
    const kind = kindOf(name);
    const ends = (kind !== undefined && NOT_IN_TRAILER.has(kind)) || named.has(name.toLowerCase());
    if (!ends) section += `${name}: ${rawTrailers[index + 1] ?? ''}\r\n`;
  }
  return `${section}\r\n`;
}
