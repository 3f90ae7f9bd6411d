import { Buffer } from 'node:buffer';

/** A text that is not in the format of a transparency log, or does not fit. Its message is for the user, without a full stop. */
export class TlogFault extends Error {
  override readonly name = 'TlogFault';
}

/** Returns bytes in standard base64. */
export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** Returns the bytes of canonical standard base64 (RFC 4648, section 4); undefined for other text. */
export function bytesOfBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return text !== '' && bytes.toString('base64') === text ? bytes : undefined;
}

/** Parses a decimal number without leading zeros, at most 2^53 - 1; returns undefined for other text. */
export function parseCount(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= 0 && String(value) === text ? value : undefined;
}
