import { Buffer, isUtf8 } from 'node:buffer';
import { HeaderType, TxValidationCode } from './enums.js';
import { type Timestamp } from './fabric-messages.js';
import type { Decoded } from './schema.js';

/** How bytes are shown: text where they are UTF-8, else base64. */
export type TextEncoding = 'utf8' | 'base64';

/** Bytes as text and how to read it. The text alone is ambiguous: `/w==` may be these four characters, or the byte 0xff. */
export interface EncodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** Shows bytes as text where they are UTF-8, unchanged, else as base64. */
export function encodedText(bytes: Uint8Array): EncodedText {
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { text: view(bytes).toString(encoding), encoding };
}

/** Returns the text of {@link encodedText} alone. */
export function textOrBase64(bytes: Uint8Array): string {
  return encodedText(bytes).text;
}

/** Encodes bytes in base64. */
export function base64(bytes: Uint8Array): string {
  return view(bytes).toString('base64');
}

/** Encodes bytes in lower-case hexadecimal. */
export function hex(bytes: Uint8Array): string {
  return view(bytes).toString('hex');
}

/** Wraps bytes without copying them. */
function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Characters that a terminal interprets or does not show, or that change the order of others. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Writes control, bidirectional and other invisible characters as `\uXXXX`. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** Quotes text for a terminal: backslashes, quotes and invisible characters are escaped, so that different texts look different. */
export function quoted(text: string): string {
  return escapeInvisible(JSON.stringify(text));
}

/** Shortens text of unknown origin to fit in an error. */
export function shortened(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}…` : text;
}

/** Quotes text of unknown origin in an error. */
export function quotedShort(text: string): string {
  return quoted(shortened(text));
}

/** Shows bytes in a terminal: quoted text, or `base64(…)` without quotes. */
export function shownText({ text, encoding }: EncodedText): string {
  return encoding === 'utf8' ? quoted(text) : `base64(${text})`;
}

/** The last second of the year 9999, the last that ISO 8601 writes with four digits. */
const LAST_SECOND = 253_402_300_799;

/**
 * Formats a timestamp as ISO 8601 in UTC, with three digits of the second, or nine where the clock was more precise. Returns
 * the empty text for no timestamp or one outside the years 1970 to 9999.
 */
export function timestampText(timestamp: Decoded<typeof Timestamp> | undefined): string {
  const { seconds, nanos } = timestamp ?? { seconds: -1, nanos: 0 };
  if (seconds < 0 || seconds > LAST_SECOND || nanos < 0 || nanos > 999_999_999) return '';
  const whole = new Date(seconds * 1000).toISOString().slice(0, -'.000Z'.length);
  const digits = String(nanos).padStart(9, '0');
  return `${whole}.${nanos % 1_000_000 === 0 ? digits.slice(0, 3) : digits}Z`;
}

/** Returns the name of an enum's number; a number without a name is `UNKNOWN_<number>`. */
export function enumName(names: Readonly<Record<string, number>>, number: number): string {
  return Object.keys(names).find((name) => names[name] === number) ?? `UNKNOWN_${number}`;
}

/** Returns Fabric's name of a transaction's type, such as `ENDORSER_TRANSACTION`. */
export function headerTypeName(type: number): string {
  return enumName(HeaderType, type);
}

/** Returns Fabric's name of a transaction's validation code, such as `VALID`. */
export function validationCodeName(code: number): string {
  return enumName(TxValidationCode, code);
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** A certificate in a text in PEM form (RFC 7468). */
export interface PemCertificate {
  readonly pem: string;
  readonly base64: string;
  /** The line above it, which parsers skip. */
  readonly lineAbove: string | undefined;
}

/** Finds the certificates in a text, by searching for strings: a regular expression of this length takes seconds to check for ReDoS. */
export function pemCertificatesIn(text: string): readonly PemCertificate[] {
  const parts = text.split(BEGIN);
  return parts.slice(1).flatMap((part, index) => {
    const base64 = part.slice(0, Math.max(0, part.indexOf('-')));
    if (base64 === '' || !part.startsWith(END, base64.length)) return [];
    return [{ pem: `${BEGIN}${base64}${END}`, base64, lineAbove: parts[index]?.split('\n').at(-2) }];
  });
}
