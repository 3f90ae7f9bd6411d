import { readFileSync } from 'node:fs';
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

/** `$$`, `${NAME}`, and `${` that is neither closed nor a name. */
const REFERENCE = /\$(?:\$|\{(?:([A-Za-z_]\w*)\})?)/g;

/** What one configuration file refers to. */
export class FileReferences implements References {
  /** The configuration file itself. */
  readonly file: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #directory: string;
  readonly #files = new Set<string>();

  /** @param file - the configuration file, from the root on; what it names is relative to where it is */
  constructor(file: string, environment: NodeJS.ProcessEnv) {
    this.file = file;
    this.#environment = environment;
    this.#directory = dirname(file);
    this.#files.add(file);
  }

  /** The configuration file, and those that were read for it, whether that went well or not. */
  get files(): readonly string[] {
    return [...this.#files];
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

  read(path: string, place: Place): string | undefined {
    const file = resolve(this.#directory, path);
    this.#files.add(file);
    const read = readTextFile(file);
    if ('text' in read) return read.text;
    place.complain(read.problem);
    return undefined;
  }

  #variable(name: string | undefined, place: Place): string | undefined {
    if (name === undefined) place.complain('has ${ without a name and } behind it; $$ stands for a dollar');
    else if (Object.hasOwn(this.#environment, name)) return this.#environment[name];
    else place.complain(`names the variable ${name}, which is not set`);
    return undefined;
  }
}
