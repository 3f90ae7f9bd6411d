import { readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Place, References } from './config-faults.js';

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'is not readable by this user',
  EISDIR: 'is a directory',
  ENOTDIR: 'does not exist',
};

/**
 * Reads a text file.
 *
 * @returns its text, or the reason why it cannot be read
 */
export function readTextFile(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return {
      problem: code.startsWith('ERR_') ? 'is not UTF-8 text' : (UNREADABLE[code] ?? `cannot be read (${code})`),
    };
  }
}

/** Files with marks that change whenever the file is changed or replaced. */
export type FileMarks = ReadonlyMap<string, string>;

interface FileStatus {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

function mark({ dev, ino, size, mtimeMs, ctimeMs }: FileStatus): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join();
}

const MISSING = 'missing';

/** Returns the current marks of files. */
export async function marksOf(files: Iterable<string>): Promise<FileMarks> {
  const looks = Array.from(files, async (file) => {
    const seen = await stat(file).then(mark, () => MISSING);
    return [file, seen] as const;
  });
  return new Map(await Promise.all(looks));
}

/** `$$`, `${NAME}`, and a malformed `${`. */
const REFERENCE = /\$(?:\$|\{(?:([A-Za-z_]\w*)\})?)/g;

/** The variables and files that one configuration file refers to. */
export class FileReferences implements References {
  /** The configuration file itself. */
  readonly file: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #directory: string;
  readonly #files = new Map<string, string>();

  /** @param file - the absolute path of the configuration file; the files that it names are relative to its directory */
  constructor(file: string, environment: NodeJS.ProcessEnv) {
    this.file = file;
    this.#environment = environment;
    this.#directory = dirname(file);
    this.#note(file);
  }

  /** The configuration file and the files that it names, with their marks from before they were read. */
  get files(): FileMarks {
    return this.#files;
  }

  expand(text: string, place: Place, literal: (part: string) => string = (part) => part): string | undefined {
    let result = '';
    let from = 0;
    for (const { 0: reference, 1: name, index } of text.matchAll(REFERENCE)) {
      const value = reference === '$$' ? '$' : this.#variable(name, place);
      if (value === undefined) return undefined;
      result += literal(text.slice(from, index)) + value;
      from = index + reference.length;
    }
    return result + literal(text.slice(from));
  }

  locate(path: string): string {
    return resolve(this.#directory, path);
  }

  read(path: string, place: Place): string | undefined {
    const file = this.locate(path);
    this.#note(file);
    const read = readTextFile(file);
    if ('text' in read) return read.text;
    place.report(read.problem);
    return undefined;
  }

  #note(file: string): void {
    let seen = MISSING;
    try {
      seen = mark(statSync(file));
    } catch {
      // Reading the file reports the error.
    }
    this.#files.set(file, seen);
  }

  #variable(name: string | undefined, place: Place): string | undefined {
    if (name === undefined) place.report('has ${ without a name and a closing }; write $$ for a dollar sign');
    else if (Object.hasOwn(this.#environment, name)) return this.#environment[name];
    else place.report(`refers to the variable ${name}, which is not set`);
    return undefined;
  }
}
