import { createHash } from 'node:crypto';
import { createReadStream, openSync, closeSync, readFileSync, statSync, writeSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, notify, print } from '../../command-line.js';
import { configured } from '../../configured.js';
import { withProgress } from '../../progress.js';
import { FIELDS } from './fields.js';
import { readRecords, requireRecords, type FileRecord, type RecordOptions } from './records.js';
import { upload, UploadInterrupted, type LineAnswer, type UploadTarget } from './upload-client.js';
import { ToolError } from '../../tool-error.js';

/** The options of `load`. */
export interface LoadOptions {
  readonly map?: RecordOptions['mapping'];
  readonly numbersAsText?: boolean;
  readonly dryRun?: boolean;
  readonly report?: string;
  readonly key?: string;
  readonly url?: string;
  readonly ca?: string;
}

/** Refused lines that are printed; a report lists all. */
const SHOWN_REFUSALS = 20;
/** Part of the message of the API about a number where a text is expected. */
const NUMBER_REFUSED = 'must be a string, not a number';
/** Delays in milliseconds before the attempts after one that made no progress. */
const RETRY_DELAYS = [1000, 2000, 4000, 8000, 16_000];

/** Creates an asset for each record of a file. */
export async function load(file: string, options: LoadOptions): Promise<void> {
  const stats = statSync(file);
  if (stats.isDirectory()) throw new ToolError(`${file} is a directory: name a .csv or .ndjson file.`);
  const { size } = stats;
  const records = { mapping: options.map ?? new Map(), numbersAsText: options.numbersAsText === true };
  await requireRecords(file, records);
  const tally = new LoadTally(options.report);
  const key = options.key ?? (await keyOf(file, records));
  const run = options.dryRun === true ? dryRun : loadWith(targetOf(options, key));
  const loading = withProgress('Loading', 'KiB', (progress) =>
    run(file, records, tally, (read) => {
      progress(Math.round(read / 1024), Math.round(size / 1024));
    }),
  );
  try {
    await (options.dryRun === true ? loading : orInterrupted(loading, tally, key));
    tally.print(options.dryRun === true ? undefined : key);
  } finally {
    tally.close();
  }
  if (tally.refused > 0) process.exitCode = EXIT.failed;
}

/** Signals that end the command with the default action. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Waits for a load. If it fails or a signal ends the command, prints first what was created and how to continue. */
async function orInterrupted(loading: Promise<void>, tally: LoadTally, key: string): Promise<void> {
  const end = (signal: NodeJS.Signals): void => {
    for (const each of SIGNALS) process.off(each, end);
    tally.printIncomplete(key);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    await loading;
  } catch (error) {
    // A server that refuses the load as a whole has created nothing.
    if (tally.lines > 0 || error instanceof UploadInterrupted) tally.printIncomplete(key);
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

/** Loads a file; calls `progress` with the number of bytes of the file that are done. */
type Run = (file: string, records: RecordOptions, tally: LoadTally, progress: (read: number) => void) => Promise<void>;

/** Validates the records as the ledger does, apart from whether their ids exist. */
const dryRun: Run = async (file, options, tally, progress) => {
  // The modules of the API take 0.1 s of CPU to load.
  const { checkAssetLine } = await import('../../../../apps/ledger-api/src/assets/asset-upload.js');
  let number = 0;
  for await (const { line, body, read } of readRecords(file, options)) {
    number += 1;
    tally.add(line, checkAssetLine({ number, bytes: body }) ?? { status: 201 });
    progress(read);
  }
};

/** Uploads the records. Each further attempt sends all of them again, and continues by the key where the last one ended. */
function loadWith(target: UploadTarget): Run {
  return async (file, options, tally, progress) => {
    for (let failures = 0; ; failures += 1) {
      const before = tally.lines;
      try {
        await uploadFile(readRecords(file, options), target, tally, progress);
        return;
      } catch (error) {
        if (tally.lines > before) failures = 0;
        const wait = RETRY_DELAYS[failures];
        if (!(error instanceof UploadInterrupted) || wait === undefined) throw error;
        notify(`${error.message} Trying again in ${wait / 1000} s.`);
        await delay(wait);
      }
    }
  };
}

async function uploadFile(
  records: AsyncIterable<FileRecord>,
  target: UploadTarget,
  tally: LoadTally,
  progress: (read: number) => void,
): Promise<void> {
  /** Records that were sent and not answered yet. */
  const sent: Omit<FileRecord, 'body'>[] = [];
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for await (const { line, body, read } of records) {
      sent.push({ line, read });
      yield body;
    }
  };
  let answered = 0;
  for await (const answer of upload(lines(), target)) {
    const { line = 0, read = 0 } = sent.shift() ?? {};
    answered += 1;
    // An earlier attempt has counted the others.
    if (answered > tally.lines) tally.add(line, answer);
    progress(read);
  }
}

/** The counts of a load, and its report of refused lines. */
class LoadTally {
  lines = 0;
  refused = 0;
  #replayed = 0;
  #hasRefusedNumbers = false;
  readonly #report: number | undefined;

  /** @param report - a file for the refused lines, each as JSON */
  constructor(report: string | undefined) {
    this.#report = report === undefined ? undefined : openSync(report, 'w');
  }

  add(line: number, { id, status, code = '', message = '', replayed }: LineAnswer): void {
    this.lines += 1;
    if (replayed === true) this.#replayed += 1;
    if (status === 201) return;
    this.refused += 1;
    if (message.includes(NUMBER_REFUSED)) this.#hasRefusedNumbers = true;
    if (this.#report !== undefined) writeSync(this.#report, `${JSON.stringify({ line, id, code, message })}\n`);
    else if (this.refused <= SHOWN_REFUSALS) notify(`line ${line}: ${code}: ${message}`);
    else if (this.refused === SHOWN_REFUSALS + 1) notify('More lines are refused. --report FILE lists all of them.');
  }

  /** Prints the counts. @param key - of the upload; undefined for a dry run */
  print(key: string | undefined): void {
    const done = this.lines - this.refused;
    const what =
      key === undefined ? `valid, ${this.refused} not; nothing was sent` : `created, ${this.refused} refused`;
    print(`${this.lines} records: ${done} ${what}.`);
    if (this.#hasRefusedNumbers) notify('Numbers are refused. --numbers-as-text loads them as texts.');
    if (this.#replayed > 0) print(`${this.#replayed} of them were created by an earlier run with the same key.`);
    if (key !== undefined) print(`The key of this load: ${key}`);
  }

  /** Prints the counts of a load that did not reach the end of its file, and how to continue it. */
  printIncomplete(key: string): void {
    const created = this.lines - this.refused;
    notify(`The load is incomplete. Of ${this.lines} records that were answered, ${created} were created.`);
    notify('Records that were sent and not answered may have been created as well.');
    notify(`To continue, run the same command again, with --key ${key} if you change the rest of the file.`);
    notify('It creates nothing twice.');
  }

  close(): void {
    if (this.#report !== undefined) closeSync(this.#report);
  }
}

/** Derives the key from the content of a file, so that the same command continues after an interruption. */
async function keyOf(file: string, { mapping, numbersAsText }: RecordOptions): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(FIELDS.map((field) => mapping.get(field) ?? null)));
  if (numbersAsText) digest.update('numbers-as-text');
  await pipeline(createReadStream(file), digest);
  return `load-${digest.digest('hex')}`;
}

function targetOf({ url, ca }: LoadOptions, idempotencyKey: string): UploadTarget {
  const { LEDGER_API_HOST: host, LEDGER_API_PORT: port } = configured('LEDGER_API_HOST', 'LEDGER_API_PORT');
  const { LEDGER_API_KEY: apiKey } = process.env;
  return {
    url: url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}/api/v1`,
    path: '/assets',
    idempotencyKey,
    apiKey,
    ca: ca === undefined ? undefined : readFileSync(ca, 'utf8'),
  };
}
