import type { FieldKind } from './field-kind.js';
import type { FieldLines, Rewrite } from './field-lines.js';

/** Fields that mean nothing behind a body, or would change how it was read (RFC 9110, section 6.5.1). */
const NOT_IN_TRAILER: ReadonlySet<FieldKind> = new Set<FieldKind>([
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
 * A trailer section as it goes on, the empty line included.
 *
 * @param named - the options of Connection in the head: what they name ends here, wherever it stands (RFC 9110, section 7.6.1)
 * @param rewrite - see {@link FieldLines.without}
 */
export function trailerSection(lines: FieldLines, named: ReadonlySet<string>, rewrite: Rewrite): string {
  return `${lines.without(NOT_IN_TRAILER, named, rewrite)}\r\n`;
}
