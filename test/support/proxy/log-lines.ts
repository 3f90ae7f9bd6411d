import { once } from 'node:events';
import type { Program } from '../program.js';

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };

const VARYING = new Set(['time', 'pid', 'hostname', 'name', 'client']);

/** A line of a program's log without what differs from run to run. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

/** The lines that a program has logged, from the first one on. */
export class LogLines {
  readonly #program: Program;
  #read = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Waits for the next line with this message that was not returned yet. */
  async next(message: string): Promise<LogLine> {
    for (;;) {
      // Requests may have lines there too, in another format.
      const lines = this.#program.stdout
        .split('\n')
        .slice(0, -1)
        .filter((line) => line.startsWith('{'));
      const found = lines.findIndex((line, index) => index >= this.#read && parse(line).msg === message);
      if (found !== -1) {
        this.#read = found + 1;
        return parse(lines[found]!);
      }
      await Promise.race([once(this.#program.process.stdout!, 'data'), this.#program.ended]);
      if (this.#program.process.exitCode !== null) throw new Error(`ended without logging ${message}`);
    }
  }
}

function parse(line: string): LogLine {
  const { level, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const kept = Object.entries(fields).filter(([key]) => !VARYING.has(key));
  return { level: LEVELS[level as number] ?? String(level), ...Object.fromEntries(kept) } as LogLine;
}
