import { hash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '#files';
import { type LedgerError, type LedgerLogger, misconfigured } from '#ledger-gateway';
import { PACE } from './fabric-transport.js';

/** Texts of one path: of the file, or of each file in the directory, newest first. */
export type FileTexts = readonly string[];

/** Which files to read, and how to parse them together. */
export interface RotatingFilesOptions<T> {
  readonly paths: readonly string[];
  /** Called when any of the files changed. If it throws, the previous value stays in use. */
  readonly parse: (texts: readonly FileTexts[]) => T;
  /** What the files contain, for the log. */
  readonly what: string;
  readonly logger?: LedgerLogger | undefined;
}

/**
 * A value read from files that may be replaced while the program runs, such as a renewed certificate. The files are
 * checked when the value is requested. A set of files caught half replaced fails to parse and is read again later.
 */
export class RotatingFiles<T> {
  readonly #options: RotatingFilesOptions<T>;
  #value: T;
  /** Digest of the texts that were read last; empty if they could not be read. */
  #digest: string;
  #checkedAt = Date.now();
  #checking: Promise<void> | undefined;
  #isMissing = false;

  private constructor(options: RotatingFilesOptions<T>, value: T, digest: string) {
    this.#options = options;
    this.#value = value;
    this.#digest = digest;
  }

  /** @throws `LEDGER.MISCONFIGURED` when a file cannot be read, else what `parse` throws */
  static async open<T>(options: RotatingFilesOptions<T>): Promise<RotatingFiles<T>> {
    const texts = await Promise.all(options.paths.map(readTexts));
    return new RotatingFiles(options, options.parse(texts), digestOf(texts));
  }

  /** Whether a file was missing at the last check; the previous value stays in use. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  /** Returns the value of the files, at most {@link PACE.files} old. */
  async current(): Promise<T> {
    if (Date.now() - this.#checkedAt >= PACE.files) {
      this.#checking ??= this.#check().finally(() => {
        this.#checking = undefined;
      });
      await this.#checking;
    }
    return this.#value;
  }

  async #check(): Promise<void> {
    const { paths, parse, what, logger } = this.#options;
    const known = this.#digest;
    this.#checkedAt = Date.now();
    this.#digest = '';
    try {
      const texts = await Promise.all(paths.map(readTexts));
      this.#isMissing = false;
      this.#digest = digestOf(texts);
      if (this.#digest === known) return;
      this.#value = parse(texts);
      logger?.info({}, `the ${what} was replaced on disk; the new one is used from now on`);
    } catch (error) {
      this.#isMissing = isMissing(error);
      if (this.#digest === known) return;
      const text = `the ${what} was replaced on disk by one that is unusable; the old one stays in use`;
      logger?.warn({ err: error }, text);
    }
  }
}

/** Returns whether a read failed because the file does not exist. */
export function isMissing(error: unknown): boolean {
  const { cause } = error as Error;
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

/**
 * Reads a text file.
 * @throws `LEDGER.MISCONFIGURED` when it cannot be read
 */
export async function readText(path: string): Promise<string> {
  try {
    return await readRegularFile(path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Does not store the texts, which may contain keys. */
function digestOf(texts: readonly FileTexts[]): string {
  return hash('sha256', JSON.stringify(texts));
}

async function readTexts(path: string): Promise<FileTexts> {
  try {
    if (!(await stat(path)).isDirectory()) return [await readRegularFile(path)];
    const paths = (await readdir(path)).map((name) => join(path, name));
    const entries = await Promise.all(paths.map(async (file) => ({ file, status: await stat(file) })));
    const files = entries.filter(({ status }) => status.isFile());
    files.sort((a, b) => b.status.mtimeMs - a.status.mtimeMs);
    return await Promise.all(files.map(({ file }) => readRegularFile(file)));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): LedgerError {
  return misconfigured(`The file ${path} cannot be read: ${(cause as Error).message}.`, cause);
}
