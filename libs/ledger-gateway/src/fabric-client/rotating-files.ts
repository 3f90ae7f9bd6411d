import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LedgerError } from '../errors/ledger.errors.js';
import type { LedgerLogger } from '../ports/ledger.port.js';
import { PACE } from './fabric-transport.js';

/** Texts of one path: of the file, or of each file in the directory, newest first. */
export type FileTexts = readonly string[];

/** Which files to read, and how to parse them together. */
export interface RotatingFilesOptions<T> {
  readonly paths: readonly string[];
  /** Called when any of the files changed. If it throws, the previous value stays in use. */
  readonly parse: (texts: readonly FileTexts[]) => T;
  /** Called after the files changed, with the error when the new ones cannot be used. */
  readonly onChange?: (error?: Error) => void;
  /** Minimum milliseconds between two checks of the files. */
  readonly checkInterval?: number;
  /** Creates the error to throw while a file is missing; without it the previous value stays in use. */
  readonly missingError?: () => Error;
}

interface FoundFile {
  readonly path: string;
  readonly isFile: boolean;
  readonly modified: number;
  /** Changes whenever the file is replaced. */
  readonly fingerprint: string;
}

/**
 * A value read from files that may be replaced while the program runs, such as a renewed certificate. The files are
 * checked when the value is requested. A set of files caught half replaced fails to parse and is read again later.
 */
export class RotatingFiles<T> {
  readonly #options: RotatingFilesOptions<T>;
  #value: T;
  #fingerprint: string;
  #rejectedFingerprint = '';
  #checkedAt = Date.now();
  #checking: Promise<void> | undefined;
  #isMissing = false;

  private constructor(options: RotatingFilesOptions<T>, value: T, fingerprint: string) {
    this.#options = options;
    this.#value = value;
    this.#fingerprint = fingerprint;
  }

  /** @throws `LEDGER.MISCONFIGURED` when a file cannot be read, else what `parse` throws */
  static async open<T>(options: RotatingFilesOptions<T>): Promise<RotatingFiles<T>> {
    const found = await Promise.all(options.paths.map(findFiles));
    return new RotatingFiles(options, options.parse(await readAll(found)), fingerprintOf(found));
  }

  /** Returns the value of the files, at most `checkInterval` old. */
  async current(): Promise<T> {
    const { checkInterval = PACE.files, missingError } = this.#options;
    if (Date.now() - this.#checkedAt >= checkInterval) {
      this.#checking ??= this.#check().finally(() => {
        this.#checking = undefined;
      });
      await this.#checking;
    }
    if (this.#isMissing && missingError !== undefined) throw missingError();
    return this.#value;
  }

  async #check(): Promise<void> {
    this.#checkedAt = Date.now();
    let fingerprint = '';
    try {
      const found = await Promise.all(this.#options.paths.map(findFiles));
      this.#isMissing = false;
      fingerprint = fingerprintOf(found);
      if (fingerprint === this.#fingerprint) return;
      this.#value = this.#options.parse(await readAll(found));
      this.#fingerprint = fingerprint;
      this.#options.onChange?.();
    } catch (error) {
      this.#isMissing = isMissing(error);
      if (fingerprint !== this.#rejectedFingerprint) this.#options.onChange?.(error as Error);
      this.#rejectedFingerprint = fingerprint;
    }
  }
}

/** Returns whether a read failed because the file does not exist. */
export function isMissing(error: unknown): boolean {
  const { cause } = error as Error;
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

/** Creates an `onChange` that logs each replacement of files. */
export function logRotation(logger: LedgerLogger | undefined, what: string): (error?: Error) => void {
  return (error) => {
    if (error === undefined) logger?.info({}, `the ${what} was replaced on disk; the new one is used from now on`);
    else
      logger?.warn(
        { err: error },
        `the ${what} was replaced on disk by one that is unusable; the old one stays in use`,
      );
  };
}

function readAll(paths: readonly (readonly FoundFile[])[]): Promise<string[][]> {
  return Promise.all(paths.map((files) => Promise.all(files.map(({ path }) => readFile(path, 'utf8')))));
}

function fingerprintOf(paths: readonly (readonly FoundFile[])[]): string {
  return paths.flatMap((files) => files.map(({ fingerprint }) => fingerprint)).join('\n');
}

async function findFiles(path: string): Promise<readonly FoundFile[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [await inspectFile(path)];
    const names = await readdir(path);
    const entries = await Promise.all(names.map((name) => inspectFile(join(path, name))));
    return entries.filter(({ isFile }) => isFile).sort((a, b) => b.modified - a.modified);
  } catch (cause) {
    const text = `The file ${path} cannot be read: ${(cause as Error).message}.`;
    throw new LedgerError('LEDGER.MISCONFIGURED', text, { cause });
  }
}

async function inspectFile(path: string): Promise<FoundFile> {
  const found = await stat(path);
  const { mtimeMs: modified, ino, size } = found;
  return { path, isFile: found.isFile(), modified, fingerprint: `${path} ${modified} ${ino} ${size}` };
}
