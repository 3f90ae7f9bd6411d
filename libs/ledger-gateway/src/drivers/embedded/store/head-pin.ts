import { hash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory } from '../../../files/durable-files.js';

/** The newest block that a pin knows of. */
export interface PinnedHead {
  readonly number: number;
  /** Hexadecimal hash of that block. */
  readonly hash: string;
}

/** `NUMBER(16) HASH(64) DIGEST(32)\n`, padded with spaces: two such lines, written in turn. */
const LINE = 16 + 1 + 64 + 1 + 32 + 1;

/**
 * The head of the chain, kept in a small file beside the store: a store that lost its tail is found out at the next
 * start. Two lines are written in turn, so that one is whole whatever happens during a write.
 *
 * The first line of each opening is made durable, those after it are left to the system: an fsync for each would double
 * what a commit costs. So a store is never behind its pin, and the pin knows, when the process alone ends, of every
 * block but the one whose acknowledgement it cut short; after a power loss of all up to the last start at least, mostly
 * up to the last half minute.
 */
export class HeadPin {
  readonly #file: number;

  private constructor(file: number) {
    this.#file = file;
  }

  /** Opens the pin, writes a head that was proven, and makes that durable. */
  static open(path: string, head: PinnedHead): HeadPin {
    const isNew = !existsSync(path);
    const pin = new HeadPin(openSync(path, isNew ? 'w+' : 'r+', 0o600));
    try {
      // At its full length from the start: no later line has to make the file longer.
      if (isNew) ftruncateSync(pin.#file, 2 * LINE);
      pin.write(head);
      fsyncSync(pin.#file);
      if (isNew) syncDirectory(dirname(path));
      return pin;
    } catch (error) {
      closeSync(pin.#file);
      throw error;
    }
  }

  /** Makes a durable pin for a ledger that nobody writes to yet. */
  static create(path: string, head: PinnedHead): void {
    closeSync(HeadPin.open(path, head).#file);
  }

  write(head: PinnedHead): void {
    const body = `${String(head.number).padStart(16)} ${head.hash}`;
    writeSync(this.#file, `${body} ${digestOf(body)}\n`, (head.number % 2) * LINE, 'latin1');
  }

  /** Makes what was written durable. */
  close(): void {
    try {
      fsyncSync(this.#file);
    } finally {
      closeSync(this.#file);
    }
  }
}

/** The newest head in a pin's file: undefined when there is no file, null when no line of it is whole. */
export function readPin(path: string): PinnedHead | null | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'latin1');
  let newest: PinnedHead | null = null;
  for (const start of [0, LINE]) {
    const head = parseLine(text.slice(start, start + LINE));
    if (head !== undefined && head.number > (newest?.number ?? -1)) newest = head;
  }
  return newest;
}

function parseLine(line: string): PinnedHead | undefined {
  const [, number, hex, digest] = /^ *(\d+) ([0-9a-f]{64}) ([0-9a-f]{32})\n$/.exec(line) ?? [];
  if (number === undefined || hex === undefined || digest !== digestOf(line.slice(0, 16 + 1 + 64))) return undefined;
  return { number: Number(number), hash: hex };
}

function digestOf(body: string): string {
  return hash('sha256', body, 'hex').slice(0, 32);
}
