import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LedgerError } from '../errors/ledger.errors.js';
import type { LedgerLogger } from '../ports/ledger.port.js';
import { PACE } from './fabric-transport.js';

/** Texts of one path: of the file, or of each file in the directory, newest first. */
export type FileTexts = readonly string[];

/** Which files, and what they mean together. */
export interface RotatingFilesOptions<T> {
  readonly paths: readonly string[];
  /** Called when any of the files changed; what it throws leaves the earlier value in force. */
  readonly parse: (texts: readonly FileTexts[]) => T;
  /** Told when the files changed: with the fault when the new ones cannot be used. */
  readonly onChange?: (fault?: Error) => void;
  /** The files are looked at again when they are asked for after this many milliseconds. */
  readonly lookAgainAfter?: number;
  /** What to throw while a file is not there; without it the earlier value stays. */
  readonly goneError?: () => Error;
}

interface Found {
  readonly file: string;
  readonly isFile: boolean;
  readonly modified: number;
  /** Differs when the file is another one. */
  readonly mark: string;
}

/**
 * A value read from files that may be replaced while the program runs, as when a certificate is renewed. A set of
 * files caught half replaced fails to parse, and is read again the next time.
 */
export class RotatingFiles<T> {
  readonly #options: RotatingFilesOptions<T>;
  #value: T;
  #marks: string;
  #refused = '';
  #lookedAt = Date.now();
  #looking: Promise<void> | undefined;
  #isGone = false;

  private constructor(options: RotatingFilesOptions<T>, value: T, marks: string) {
    this.#options = options;
    this.#value = value;
    this.#marks = marks;
  }

  /** @throws `LEDGER.MISCONFIGURED` when a file cannot be read, else what `parse` throws */
  static async open<T>(options: RotatingFilesOptions<T>): Promise<RotatingFiles<T>> {
    const found = await Promise.all(options.paths.map(find));
    return new RotatingFiles(options, options.parse(await readAll(found)), marksOf(found));
  }

  /** The value of the files as they are now, or were a moment ago. */
  async current(): Promise<T> {
    if (Date.now() - this.#lookedAt >= (this.#options.lookAgainAfter ?? PACE.files)) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
    }
    if (this.#isGone && this.#options.goneError !== undefined) throw this.#options.goneError();
    return this.#value;
  }

  async #look(): Promise<void> {
    this.#lookedAt = Date.now();
    let marks = '';
    try {
      const found = await Promise.all(this.#options.paths.map(find));
      this.#isGone = false;
      marks = marksOf(found);
      if (marks === this.#marks) return;
      this.#value = this.#options.parse(await readAll(found));
      this.#marks = marks;
      this.#options.onChange?.();
    } catch (fault) {
      this.#isGone = isMissing(fault);
      if (marks !== this.#refused) this.#options.onChange?.(fault as Error);
      this.#refused = marks;
    }
  }
}

/** Whether a failure to read says that the file is not there. */
export function isMissing(fault: unknown): boolean {
  const { cause } = fault as Error;
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

function readAll(paths: readonly (readonly Found[])[]): Promise<string[][]> {
  return Promise.all(paths.map((files) => Promise.all(files.map(({ file }) => readFile(file, 'utf8')))));
}

function marksOf(paths: readonly (readonly Found[])[]): string {
  return paths.flatMap((files) => files.map(({ mark }) => mark)).join('\n');
}

async function find(path: string): Promise<readonly Found[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [await look(path)];
    const names = await readdir(path);
    const entries = await Promise.all(names.map((name) => look(join(path, name))));
    return entries.filter(({ isFile }) => isFile).sort((a, b) => b.modified - a.modified);
  } catch (cause) {
    throw new LedgerError('LEDGER.MISCONFIGURED', `The file ${path} cannot be read: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

async function look(file: string): Promise<Found> {
  const found = await stat(file);
  const { mtimeMs: modified, ino, size } = found;
  return { file, isFile: found.isFile(), modified, mark: `${file} ${modified} ${ino} ${size}` };
}

/** Tells an operator that files were replaced while the program runs, and whether the new ones can be used. */
export function tellRotation(logger: LedgerLogger | undefined, what: string): (fault?: Error) => void {
  return (fault) => {
    if (fault === undefined) logger?.info({}, `the ${what} was replaced on disk and is used from now on`);
    else logger?.warn({ err: fault }, `the ${what} was replaced on disk and cannot be used; the earlier one stays`);
  };
}
