import type { LedgerCall } from '../ports/ledger.port.js';
import { isLedgerError, LedgerError } from './ledger.errors.js';
import { decodings } from './text-decodings.js';

/** Replaces a message that contains private data. */
const HIDDEN = 'The message of the chaincode or of a peer repeats transient data and is not shown.';

/** Bytes as numbers, decimal or hexadecimal, and nothing else; fewer are found in many texts. */
const NUMBERS = /^[0-9a-f,-]{24,}$/;

/** The transient data of a call, as far as they can be found in a text. */
export class TransientTexts {
  readonly #texts: readonly string[];

  constructor(transient: NonNullable<LedgerCall['transient']>) {
    this.#texts = [...new Set([...transient.values()].flatMap(partsOf).flatMap(spellingsOf))];
  }

  /**
   * Returns whether a text contains a value of one of the calls: as it is, in base64, in hexadecimal, as numbers, or with characters
   * that are escaped as in JSON, URLs or HTML.
   */
  static areIn(text: string, calls: Iterable<TransientTexts>): boolean {
    const texts = [text, ...decodings(text)].map(comparable);
    // Bytes in hexadecimal or decimal may be separated.
    const searched = new Set([...texts, ...texts.map((each) => each.replaceAll(/[\s:]/g, ''))]);
    // A line of several in which a long value is printed as numbers.
    const numbers = text.toLowerCase().replaceAll(/[\s[\]]|,\s*$/g, '');
    const isPart = NUMBERS.test(numbers);
    for (const call of calls) {
      for (const each of searched) if (call.#texts.some((value) => each.includes(value))) return true;
      if (isPart && call.#texts.some((value) => value.includes(numbers))) return true;
    }
    return false;
  }
}

/** Bytes of a line that is searched for by itself: shorter ones, such as `{`, stand in many texts. */
const LEAST_LINE = 8;

/**
 * Returns what a chaincode repeats of a value: all of it, without the blanks at its ends, and each of its lines, since a log is
 * read by lines. An empty value hides nothing.
 */
function partsOf(value: Uint8Array): Buffer[] {
  const whole = Buffer.from(value);
  const text = whole.toString().trim();
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  const parts = [text, ...lines.filter((line) => lines.length > 1 && line.length >= LEAST_LINE)];
  return [whole, ...parts.map((part) => Buffer.from(part))].filter(({ length }) => length > 0);
}

/** Returns the texts as which bytes are written. */
function spellingsOf(value: Buffer): string[] {
  // Text may have become bytes of another encoding, and bytes text of one.
  const bytes = [value, Buffer.from(value.toString(), 'latin1'), Buffer.from(value.toString(), 'utf16le')];
  return [
    comparable(value.toString()),
    comparable(value.toString('latin1')),
    // A pair of bytes each; the last one of an odd number is lost.
    ...(value.length > 1 ? [comparable(value.toString('utf16le'))] : []),
    ...bytes.filter(({ length }) => length > 1).flatMap(numbersOf),
    ...bytes.flatMap((each) => [
      comparable(each.toString('hex')),
      // The padding may be omitted.
      comparable(each.toString('base64').replaceAll('=', '')),
      comparable(each.toString('base64url')),
    ]),
    // As Python and the text format of protobuf print bytes.
    comparable(escaped(value, (byte) => `x${byte.toString(16).padStart(2, '0')}`)),
    comparable(escaped(value, (byte) => byte.toString(8).padStart(3, '0'))),
  ];
}

/** Returns bytes as the lists of numbers that are printed; a single one would be found in any number. */
function numbersOf(value: Buffer): string[] {
  // JSON and Node, Go, Java, whose bytes are signed. Node ends a Buffer after 50 bytes and other lists after 100.
  const [printed, listed] = [value.subarray(0, 50), value.subarray(0, 100)];
  return [printed.toString('hex'), listed.join(','), value.join(' '), new Int8Array(listed).join(',')];
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
