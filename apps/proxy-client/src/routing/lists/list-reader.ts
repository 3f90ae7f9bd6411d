import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Networks } from '../rules/addresses.js';
import type { ListContent } from '../rules/host-list.js';
import {
  LINE_SHAPES,
  type LineShape,
  LIST_FORMATS,
  type ListFormat,
  type ListSink,
  readListLine,
  recognizeFormat,
} from '../rules/list-formats.js';
import { NameSet } from '../rules/name-set.js';

/** The limit of a list, unpacked. */
export const MAX_LIST_BYTES = 67_108_864;
const MAX_LIST_TEXT = '64 MiB';
/** An address takes far more memory than a name. */
const MAX_NETWORKS = 100_000;
/** Longer lines are unused. */
const MAX_LINE = 4096;
/** The number of bytes per step: about a millisecond. */
const STEP_BYTES = 65_536;
/** The number of lines with content by which a format is recognized. */
const HEAD_LINES = 400;
/** The share of lines that must be used if the format was recognized. */
const MIN_SHARE = 0.8;
const SHOWN_LINES = 3;
const SHOWN_CHARACTERS = 60;

/** A list cannot be used. Its text is for the operator. */
export class ListError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ListError';
  }
}

/**
 * Reads a list, which may be compressed by gzip, in steps, so that no request waits for it.
 *
 * @param bytes - the memory of a chunk may be used again when the next one is requested
 * @param format - absent: recognized by the first lines
 * @throws {@link ListError}
 */
export async function readList(bytes: AsyncIterable<Buffer>, format?: ListFormat): Promise<ListContent> {
  const lines = new LineReader(format);
  let total = 0;
  for await (const chunk of unpacked(bytes)) {
    total += chunk.length;
    if (total > MAX_LIST_BYTES) throw new ListError(`is larger than ${MAX_LIST_TEXT}`);
    for (let at = 0; at < chunk.length; at += STEP_BYTES) {
      lines.push(chunk.subarray(at, at + STEP_BYTES));
      await nextTurn();
    }
  }
  return lines.finish();
}

const GZIP = [0x1f, 0x8b];

/** Unpacks gzip, which is recognized by its first bytes. */
async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  const all = prepended(first.value, { [Symbol.asyncIterator]: () => iterator });
  if (!GZIP.every((byte, index) => first.value[index] === byte)) {
    yield* all;
    return;
  }
  // Copies: the reader of a file uses its memory again.
  const packed = Readable.from(copiesOf(all));
  const gunzip = process.getBuiltinModule('node:zlib').createGunzip();
  packed.once('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of packed.pipe(gunzip)) yield chunk as Buffer;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code.startsWith('Z_')) throw new ListError('is not valid gzip', { cause: error });
    throw error;
  } finally {
    packed.destroy();
  }
}

async function* copiesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

async function* prepended(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/** Splits bytes into lines and collects their entries. */
class LineReader implements ListSink {
  readonly #names = new NameSet();
  readonly #exceptions = new NameSet();
  readonly #networks = new Networks();
  #format: ListFormat | undefined;
  readonly #isRecognized: boolean;
  /** The first lines, until the format is recognized. */
  #head: string[] = [];
  #contentLines = 0;
  readonly #bytes = Buffer.alloc(MAX_LINE + STEP_BYTES);
  /** The number of bytes in it that begin a line whose end was not received yet. */
  #rest = 0;
  #isTooLong = false;
  #number = 0;
  #used = 0;
  #unused = 0;
  readonly #firstUnused: { readonly number: number; readonly line: string }[] = [];

  constructor(format: ListFormat | undefined) {
    this.#format = format;
    this.#isRecognized = format === undefined;
  }

  name(name: string, kind: Parameters<NameSet['add']>[1]): void {
    this.#names.add(name, kind);
  }

  exception(name: string, kind: Parameters<NameSet['add']>[1]): void {
    this.#exceptions.add(name, kind);
  }

  network(text: string): void {
    if (this.#networks.size === MAX_NETWORKS) throw new ListError(`has more than ${MAX_NETWORKS} addresses`);
    this.#networks.add(copyOf(text));
  }

  /** @param chunk - at most {@link STEP_BYTES}; its memory may be used again after the call */
  push(chunk: Buffer): void {
    const bytes = this.#bytes;
    chunk.copy(bytes, this.#rest);
    const length = this.#rest + chunk.length;
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1 && end < length; end = bytes.indexOf(LINE_FEED, from)) {
      this.#lineOf(from, end);
      from = end + 1;
    }
    this.#rest = length - from;
    if (this.#rest > MAX_LINE) {
      this.#isTooLong = true;
      this.#rest = SHOWN_CHARACTERS;
    }
    bytes.copy(bytes, 0, from, from + this.#rest);
  }

  /** @throws {@link ListError} */
  async finish(): Promise<ListContent> {
    if (this.#rest > 0) this.#lineOf(0, this.#rest);
    this.#readHead();
    const format = this.#format ?? 'plain';
    const [used, unused] = [this.#used, this.#unused];
    this.#requireEntries(format, used, unused);
    for (const set of [this.#names, this.#exceptions]) {
      const steps = set.index();
      while (steps.next().done !== true) await nextTurn();
    }
    this.#networks.sort();
    const [names, exceptions, networks] = [this.#names, this.#exceptions, this.#networks];
    return { format, names, exceptions, networks, used, unused, firstUnused: this.#firstUnused[0]?.number };
  }

  #requireEntries(format: ListFormat, used: number, unused: number): void {
    if (used + unused === 0) throw new ListError('has no entries');
    if (used > 0 && (!this.#isRecognized || used >= MIN_SHARE * (used + unused))) return;
    const shown = this.#firstUnused.map(({ number, line }) => `line ${number} ${JSON.stringify(line)}`).join(', ');
    const what = `only ${used} of ${used + unused} lines can be used as the format ${format}`;
    throw new ListError(`${what}; specify format: (${LIST_FORMATS.join(', ')}). First unused: ${shown}`);
  }

  #lineOf(from: number, end: number): void {
    const to = end > from && this.#bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    const format = this.#format;
    if (format === undefined) {
      this.#addToHead(this.#textOf(from, to));
    } else if (!this.#isTooLong && this.#readShape(LINE_SHAPES[format], from, to)) {
      this.#number += 1;
      this.#used += 1;
    } else this.#read(format, this.#textOf(from, to));
  }

  #textOf(from: number, to: number): string {
    return this.#bytes.toString('utf8', from, to).replace(BYTE_ORDER_MARK, '').trim();
  }

  #addToHead(line: string): void {
    this.#head.push(this.#isTooLong ? line.padEnd(MAX_LINE + 1) : line);
    this.#isTooLong = false;
    if (line !== '' && !/^[!#]/.test(line)) this.#contentLines += 1;
    if (this.#contentLines === HEAD_LINES || this.#head.length === MAX_LINE) this.#readHead();
  }

  /** Reads a line of a frequent form. */
  #readShape(shapes: readonly LineShape[], from: number, to: number): boolean {
    const bytes = this.#bytes;
    for (const { prefix, suffix, kind } of shapes) {
      const [start, end] = [from + prefix.length, to - suffix.length];
      if (start < end && hasAt(bytes, from, prefix) && hasAt(bytes, end, suffix) && mayBePlain(bytes[start] ?? 0)) {
        if (this.#names.addBytes(bytes, start, end, kind)) return true;
      }
    }
    return false;
  }

  /** Recognizes the format, and reads the lines that were held back. */
  #readHead(): void {
    const head = this.#head;
    this.#head = [];
    this.#format ??= recognizeFormat(head);
    for (const line of head) this.#read(this.#format, line);
  }

  /** @throws {@link ListError} */
  #read(format: ListFormat, line: string): void {
    this.#number += 1;
    // Networks answer with a page that asks for a login: some of its lines may look like names.
    if (this.#used + this.#unused === 0 && HTML.test(line)) throw new ListError('is an HTML page, not a list');
    const use = this.#isTooLong || line.length > MAX_LINE ? 'unused' : readListLine(format, line, this);
    this.#isTooLong = false;
    if (use === 'used') this.#used += 1;
    if (use !== 'unused') return;
    this.#unused += 1;
    if (this.#firstUnused.length < SHOWN_LINES) {
      const shown = copyOf(line.slice(0, SHOWN_CHARACTERS));
      this.#firstUnused.push({ number: this.#number, line: shown });
    }
  }
}

/** The beginning of a page, which no format of lists has. */
const HTML = /^<(?:!doctype|html|head|\?xml|script|meta|!--)/i;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BYTE_ORDER_MARK = /^\ufeff/;
const LETTER_L = 0x6c;

function hasAt(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text[index]) return false;
  return true;
}

/** An address begins with a digit, and the names of this machine in a hosts file with `local`. */
function mayBePlain(first: number): boolean {
  return (first < 0x30 || first > 0x39) && first !== LETTER_L;
}

/** Copies a text: V8 would retain the whole chunk that it was cut out of. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
