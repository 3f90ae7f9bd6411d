import { readFraming, type BodyFraming } from './body-reader.js';
import { connectionOptions, malformed, type FieldLines } from './field-lines.js';
import type { Section } from './section.js';

/** The validated head of a response. */
export interface ResponseHead {
  /** The minor version: 0 for HTTP/1.0, 1 for HTTP/1.1. */
  readonly minor: 0 | 1;
  readonly status: number;
  readonly reason: string;
  readonly lines: FieldLines;
  readonly framing: BodyFraming;
  /** Bytes of the body if framing is `length`. */
  readonly length: number;
  /** Options of Connection, in lower case. */
  readonly connection: ReadonlySet<string>;
  /** Whether the connection can carry another request after this response. */
  readonly reusable: boolean;
}

const STATUS_LINE = /^HTTP\/1\.[01] [1-9][0-9]{2}(?: |$)/;

/**
 * Parses the head of a response.
 *
 * @param section - status line and field lines
 * @param toHead - whether the request was a HEAD, whose response has no body
 * @throws {@link FormatError} for a status line or framing that is invalid or ambiguous
 */
export function readResponseHead({ startLine, lines }: Section, toHead: boolean): ResponseHead {
  if (!STATUS_LINE.test(startLine)) throw malformed('status line that is not HTTP/1.0 or HTTP/1.1');
  const minor = startLine.startsWith('1', 7) ? 1 : 0;
  const status = Number(startLine.slice(9, 12));
  const framing = framingOf(lines, minor, status, toHead);
  const connection = connectionOptions(lines);
  const persistent = minor === 1 ? !connection.has('close') : connection.has('keep-alive');
  if (status < 200 && !persistent) throw malformed('interim response that closes the connection');
  return {
    minor,
    status,
    reason: startLine.slice(13),
    lines,
    connection,
    framing: framing.framing,
    length: framing.length,
    reusable: persistent && framing.isCertain,
  };
}

/** @returns also whether the next response on the connection certainly begins where this one ends */
function framingOf(lines: FieldLines, minor: number, status: number, toHead: boolean) {
  const { framing, length } = readFraming(lines, minor);
  const isBodiless = status < 200 || status === 204;
  if (framing === 'chunked' && isBodiless) throw malformed('Transfer-Encoding in a response without a body');
  if (isBodiless || toHead || status === 304) {
    // Some servers send a body although the response has none: to HEAD, and of 204, if they declare one. A 304 may declare
    // the length of the representation that it omits (RFC 9110, section 8.6).
    const isCertain = framing !== 'chunked' && (length === 0 || status === 304);
    return { framing: 'none', length, isCertain } as const;
  }
  return { framing, length, isCertain: framing !== 'close' };
}
