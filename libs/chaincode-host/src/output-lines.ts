import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

/** Most characters of a line in the log, and most lines in a second. */
const MAX_LINE = 4096;
const MAX_LINES = 200;

/** Returns a line of output as it may be logged. */
export type ShownLine = (line: string, isCut: boolean) => string;

/** Logs the output of a process line by line, without colors. Long lines are cut; lines beyond the limit are counted. */
export function logLines(stream: Readable, shown: ShownLine, log: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let line = '';
  let second = 0;
  let lines = 0;
  const finish = (): void => {
    const text = stripVTControlCharacters(line).trimEnd();
    line = '';
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      if (lines > MAX_LINES) log(`${lines - MAX_LINES} more lines were dropped.`);
      second = now;
      lines = 0;
    }
    if (text === '') return;
    lines += 1;
    if (lines > MAX_LINES) return;
    const isCut = text.length > MAX_LINE;
    log(shown(isCut ? `${text.slice(0, MAX_LINE)} …` : text, isCut));
  };
  stream.on('data', (chunk: Buffer) => {
    const [first = '', ...rest] = decoder.write(chunk).split('\n');
    line = extended(line, first);
    for (const part of rest) {
      finish();
      line = extended('', part);
    }
  });
  stream.on('end', finish);
}

/** Appends to a line, of which no more than the log shows is stored. */
function extended(line: string, part: string): string {
  return line.length > MAX_LINE ? line : (line + part).slice(0, MAX_LINE + 1);
}

/** Lines of output that are kept for the answer of a call, and most characters of them. */
const LAST_LINES = 10;
const LAST_CHARACTERS = 2000;

/** A frame of a stack, as Node and Java print it after the message of an error, which matters more. */
const STACK_FRAME = /^\s+at\s/;

/** The last lines that a process has written, without stacks. */
export class LastLines {
  readonly #lines: string[] = [];

  add(line: string): void {
    if (STACK_FRAME.test(line)) return;
    this.#lines.push(line);
    if (this.#lines.length > LAST_LINES) this.#lines.shift();
  }

  /** Returns the end of them in one text; empty without any. */
  toString(): string {
    const text = this.#lines.join('\n');
    return text.length <= LAST_CHARACTERS ? text : `… ${text.slice(-LAST_CHARACTERS)}`;
  }
}
