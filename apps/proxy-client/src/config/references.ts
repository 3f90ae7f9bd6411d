import { readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Place, References } from './config-faults.js';

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'may not be read by this user',
  EISDIR: 'is a directory',
  ENOTDIR: 'there is no such file',
};

/**
 * Reads a text file.
 *
 * @returns its text, or why that cannot be had
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

/** Files, each with what changes when it does, whatever it is replaced by. */
export type FileMarks = ReadonlyMap<string, string>;

interface Looked {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

function mark({ dev, ino, size, mtimeMs, ctimeMs }: Looked): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join();
}

const MISSING = 'missing';

/** What the files look like now. */
export async function lookAt(files: Iterable<string>): Promise<FileMarks> {
  const looks = Array.from(files, async (file) => {
    const seen = await stat(file).then(mark, () => MISSING);
    return [file, seen] as const;
  });
  return new Map(await Promise.all(looks));
}

/** `$$`, `${NAME}`, and `${` that is neither closed nor a name. */
const REFERENCE = /\$(?:\$|\{(?:([A-Za-z_]\w*)\})?)/g;

/** What one configuration file refers to. */
export class FileReferences implements References {
  /** The configuration file itself. */
  readonly file: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #directory: string;
  readonly #files = new Map<string, string>();

  /** @param file - the configuration file, from the root on; what it names is relative to where it is */
  constructor(file: string, environment: NodeJS.ProcessEnv) {
    this.file = file;
    this.#environment = environment;
    this.#directory = dirname(file);
    this.#note(file);
  }

  /** The configuration file, and those that were read for it, whether that went well or not, as they looked before. */
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
    place.complain(read.problem);
    return undefined;
  }

  #note(file: string): void {
    let seen = MISSING;
    try {
      seen = mark(statSync(file));
    } catch {
      // Reading it will say why.
    }
    this.#files.set(file, seen);
  }

  #variable(name: string | undefined, place: Place): string | undefined {
    if (name === undefined) place.complain('has ${ without a name and } behind it; $$ stands for a dollar');
    else if (Object.hasOwn(this.#environment, name)) return this.#environment[name];
    else place.complain(`names the variable ${name}, which is not set`);
    return undefined;
  }
}
