import { hash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createPrivateFile, syncDirectory } from '#files';

/** The newest block that a pin names. */
export interface PinnedHead {
  readonly number: number;
  /** Hexadecimal hash of that block. */
  readonly hash: string;
}

/** `NUMBER(16) HASH(64) DIGEST(32)\n`, padded with spaces; the file has two such lines. */
const LINE = 16 + 1 + 64 + 1 + 32 + 1;

/**
 * The head of the chain in a small file next to the store, by which the next start detects a store that lost its tail. Two
 * lines are written alternately, so that one is complete whatever happens during a write.
 *
 * Only the first line of each opening is fsynced: an fsync for each line would double the cost of a commit. So a store never
 * ends before its pin. When only the process ends, the pin names every block except possibly the last; after a power loss it
 * names at least all up to the last start, mostly all up to the last half minute.
 */
export class HeadPin {
  readonly #file: number;

  /** Opens the pin, writes a proven head, and makes that durable. */
  constructor(path: string, head: PinnedHead) {
    const isNew = !existsSync(path);
    createPrivateFile(path);
    this.#file = openSync(path, 'r+');
    try {
      // At its full length from the start: no later line has to extend the file.
      if (isNew) ftruncateSync(this.#file, 2 * LINE);
      this.write(head);
      fsyncSync(this.#file);
      if (isNew) syncDirectory(dirname(path));
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** Writes a head without waiting for the disk. A crash damages at most this line; the other one names the previous block. */
  write(head: PinnedHead): void {
    const body = `${String(head.number).padStart(16)} ${head.hash}`;
    writeSync(this.#file, `${body} ${digestOf(body)}\n`, (head.number % 2) * LINE, 'latin1');
  }

  /** Makes the written lines durable and closes the file. */
  close(): void {
    try {
      fsyncSync(this.#file);
    } finally {
      closeSync(this.#file);
    }
  }
}

/** Why a pin names no block, as in "the pin is missing". */
export type PinFault = 'missing' | 'damaged' | `unreadable (${string})`;

/** Returns the newest head in a pin's file, which is damaged when no line of it is complete. */
export function readPin(path: string): PinnedHead | PinFault {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'missing' : `unreadable (${code})`;
  }
  const lines = [text.slice(0, LINE), text.slice(LINE)].map(parseLine).filter((head) => head !== undefined);
  return lines.toSorted((a, b) => b.number - a.number)[0] ?? 'damaged';
}

function parseLine(line: string): PinnedHead | undefined {
  const [, body = '', number, hex, digest] = /^(( *\d+) ([0-9a-f]{64})) ([0-9a-f]{32})\n$/.exec(line) ?? [];
  if (hex === undefined || body.length !== 16 + 1 + 64 || digest !== digestOf(body)) return undefined;
  return { number: Number(number), hash: hex };
}

function digestOf(body: string): string {
  return hash('sha256', body, 'hex').slice(0, 32);
}
