import type { LedgerCall } from '../ports/ledger.port.js';
import { isLedgerError, LedgerError } from './ledger.errors.js';
import { decodings } from './text-decodings.js';

/** Replaces a message that contains private data. */
const HIDDEN = 'The message of the chaincode or of a peer repeats transient data and is not shown.';

/** The transient data of a call, as far as they can be found in a text. */
export class TransientTexts {
  readonly #texts: readonly string[];

  constructor(transient: NonNullable<LedgerCall['transient']>) {
    const values = [...transient.values()].filter(({ length }) => length > 0).map((value) => Buffer.from(value));
    this.#texts = values.flatMap((value) => [
      comparable(value.toString()),
      comparable(value.toString('hex')),
      // As JSON and console.log print bytes; a single one would be found in any number.
      ...(value.length > 1 ? [value.join(',')] : []),
      // The padding may be omitted.
      comparable(value.toString('base64').replaceAll('=', '')),
      comparable(value.toString('base64url')),
      // As Python and the text format of protobuf print bytes.
      comparable(escaped(value, (byte) => `x${byte.toString(16).padStart(2, '0')}`)),
      comparable(escaped(value, (byte) => byte.toString(8).padStart(3, '0'))),
    ]);
  }

  /**
   * Returns whether a text contains a value of one of the calls: as it is, in base64, in hexadecimal, as numbers, or with characters
   * that are escaped as in JSON, URLs or HTML.
   */
  static areIn(text: string, calls: Iterable<TransientTexts>): boolean {
    const texts = [text, ...decodings(text)].map(comparable);
    // Bytes in hexadecimal or decimal may be separated.
    const searched = new Set([...texts, ...texts.map((each) => each.replaceAll(/[\s:]/g, ''))]);
    for (const call of calls) {
      for (const each of searched) if (call.#texts.some((value) => each.includes(value))) return true;
    }
    return false;
  }
}

const LETTERS: Readonly<Record<number, string>> = { 9: 't', 10: 'n', 13: 'r' };

/** Returns bytes as text in which those that are no visible ASCII are escaped; the backslashes of escapes are not compared. */
function escaped(value: Uint8Array, escape: (byte: number) => string): string {
  return Array.from(value, (byte) => {
    const isVisible = byte >= 0x20 && byte <= 0x7e;
    return isVisible ? String.fromCharCode(byte) : (LETTERS[byte] ?? escape(byte));
  }).join('');
}

/** A chaincode may quote its input, in which case quotes are escaped. */
function comparable(text: string): string {
  return text.replaceAll('\\', '').toLowerCase();
}

/**
 * Returns the error of a call so that it contains none of its transient data: a chaincode may repeat its arguments. The
 * cause is omitted, because it contains the messages of all peers.
 */
export function withoutTransient(error: unknown, transient: LedgerCall['transient']): unknown {
  if (transient === undefined || !(error instanceof Error)) return error;
  const texts = new TransientTexts(transient);
  const message = TransientTexts.areIn(error.message, [texts]) ? HIDDEN : error.message;
  if (!isLedgerError(error)) return new Error(message);
  const { transactionId, endpoint, chaincodeStatus, chaincode, startFailure } = error;
  // A chaincode that starts has not received them, but its last lines may be older.
  const isShown = startFailure !== undefined && !TransientTexts.areIn(startFailure.output, [texts]);
  const facts = { transactionId, endpoint, chaincodeStatus, chaincode };
  return new LedgerError(error.code, message, { ...facts, ...(isShown && { startFailure }) });
}
