import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { BodyLines, LINE_LIMITS, type BodyLine } from '#bulk-data';
import { MAX_LINES_BYTES } from '#records-contract';
import { EXIT, notify, print } from '../../command-line.js';
import { configured } from '../../configured.js';
import { UsageError } from '../../tool-error.js';
import { appendByApi } from './append-by-api.js';
import { appendToDirectory } from './append-to-directory.js';
import type { AppendOptions, Appender, LineEffect } from './appender.js';

/** Refused lines that are printed. */
const SHOWN_REFUSALS = 20;
/** Interval of the progress on standard error. */
const PROGRESS_MS = 5000;
const EXISTS = 'LEDGER.RECORD_EXISTS';

/** Appends each line of standard input as a record of a type. */
export async function append(directory: string | undefined, options: AppendOptions): Promise<void> {
  const { url } = options;
  if (directory !== undefined && url !== undefined) {
    throw new UsageError('Name a directory or a --url, not both.');
  }
  const appender =
    url === undefined ? await openDirectory(directory, options) : appendByApi(options, url, caOf(options));
  const tally = new Tally(options.key !== undefined);
  const input = process.stdin;
  // Lines that have been read are still appended.
  const stop = (): void => {
    tally.isInterrupted = true;
    input.destroy();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    for await (const batch of batchesOf(input, () => tally.isInterrupted)) {
      tally.add(batch.length, await appender.append(batch));
    }
    tally.print();
  } catch (error) {
    tally.printDurable();
    throw error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await appender.close();
  }
  if (tally.hasFailed) process.exitCode = EXIT.failed;
}

function openDirectory(directory: string | undefined, options: AppendOptions): Promise<Appender> {
  return appendToDirectory(directory ?? configured('LEDGER_DATA_DIR').LEDGER_DATA_DIR, options);
}

function caOf({ ca }: AppendOptions): string | undefined {
  return ca === undefined ? undefined : readFileSync(ca, 'utf8');
}

/**
 * Yields the lines of an input in batches: those that have arrived while the previous batch was appended, so that a slow program's
 * lines do not wait for others.
 */
async function* batchesOf(input: Readable, isInterrupted: () => boolean): AsyncGenerator<readonly BodyLine[]> {
  const lines = new BodyLines(input, { ...LINE_LIMITS, batchBytes: MAX_LINES_BYTES });
  const closed = new Promise<void>((resolve) => input.once('close', resolve));
  for (;;) {
    const batch = lines.take(true);
    if (batch !== undefined) yield batch;
    else if (lines.failure !== undefined) throw lines.failure;
    else if (lines.isFinished || isInterrupted()) return;
    else await Promise.race([lines.changed(), closed]);
  }
}

/** The counts of a run. */
class Tally {
  isInterrupted = false;
  readonly #hasKey: boolean;
  #lines = 0;
  #existed = 0;
  #refused = 0;
  #next = performance.now() + PROGRESS_MS;

  /** @param hasKey - whether a line whose record exists repeats an earlier run */
  constructor(hasKey: boolean) {
    this.#hasKey = hasKey;
  }

  get hasFailed(): boolean {
    return this.#refused > 0 || this.isInterrupted;
  }

  add(lines: number, effects: readonly LineEffect[]): void {
    this.#lines += lines;
    for (const { line, code, message = '' } of effects) {
      if (code === undefined) continue;
      if (code === EXISTS && this.#hasKey) this.#existed += 1;
      else if (++this.#refused <= SHOWN_REFUSALS) notify(`line ${line}: ${code}: ${message}`);
      else if (this.#refused === SHOWN_REFUSALS + 1) notify('More lines are refused.');
    }
    if (performance.now() < this.#next) return;
    this.#next = performance.now() + PROGRESS_MS;
    notify(`Appending: ${this.#counts()}`);
  }

  print(): void {
    print(`${this.#counts()}.`);
    if (this.isInterrupted) this.printDurable();
  }

  /** States where to continue. */
  printDurable(): void {
    const advice = this.#hasKey
      ? 'Run the same command again with the whole input.'
      : `Continue after line ${this.#lines}.`;
    notify(`The first ${this.#lines} lines are processed and durable. ${advice}`);
  }

  #counts(): string {
    const appended = this.#lines - this.#existed - this.#refused;
    const existed = this.#existed === 0 ? '' : `, ${this.#existed} existed`;
    return `${this.#lines} lines: ${appended} appended${existed}, ${this.#refused} refused`;
  }
}
