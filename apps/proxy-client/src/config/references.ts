import { closeSync, readSync, type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { openFile, problemOf, readTextFile, textPieces } from './text-files.js';

/** Files with marks that change whenever the file is changed or replaced. */
export type FileMarks = ReadonlyMap<string, string>;

function mark({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
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

/** Reports the error in a value. */
type Report = (problem: string) => void;

/** The path of a key in a configuration file: names of keys, and indexes of lists. */
export type KeyPath = readonly (string | number)[];

/** The key whose value names a file. */
interface NamingKey {
  readonly path: KeyPath;
  readonly report: Report;
}

/** The environment variables and files that the values of one configuration file refer to. */
export class FileReferences {
  /** The configuration file itself. */
  readonly file: string;
  readonly #environment: NodeJS.ProcessEnv | undefined;
  readonly #directory: string;
  readonly #files = new Map<string, string>();
  readonly #relative: KeyPath[] = [];
  readonly #variables = new Set<string>();

  /**
   * @param file - the absolute path of the configuration file; the files that it names are relative to its directory
   * @param environment - undefined: all text is literal
   */
  constructor(file: string, environment: NodeJS.ProcessEnv | undefined) {
    this.file = file;
    this.#environment = environment;
    this.#directory = dirname(file);
    this.note(file);
  }

  /** The configuration file and the files that it names, with their marks from before they were read. */
  get files(): FileMarks {
    return this.#files;
  }

  /** The names of the variables that its values contain. */
  get variables(): ReadonlySet<string> {
    return this.#variables;
  }

  /** The keys whose values are relative to the directory of the configuration file. */
  get relative(): readonly KeyPath[] {
    return this.#relative;
  }

  /**
   * Expands variables.
   *
   * @param literal - converts the text between them
   * @returns undefined after a fault was reported
   */
  expand(text: string, report: Report, literal: (part: string) => string = (part) => part): string | undefined {
    const environment = this.#environment;
    if (environment === undefined) return literal(text);
    let result = '';
    let from = 0;
    for (const { 0: reference, 1: name, index } of text.matchAll(REFERENCE)) {
      if (name !== undefined) this.#variables.add(name);
      const value = reference === '$$' ? '$' : variable(environment, name, report);
      if (value === undefined) return undefined;
      result += literal(text.slice(from, index)) + value;
      from = index + reference.length;
    }
    return result + literal(text.slice(from));
  }

  /** Returns the absolute path of a file that the value of a key names. */
  locate(path: string, { path: key }: Pick<NamingKey, 'path'>): string {
    if (!isAbsolute(path)) this.#relative.push(key);
    return resolve(this.#directory, path);
  }

  /**
   * Reads another file, which the value of a key names.
   *
   * @returns undefined after a fault was reported
   */
  read(path: string, key: NamingKey): string | undefined {
    const file = this.locate(path, key);
    this.note(file);
    const read = readTextFile(file);
    if ('text' in read) return read.text;
    key.report(read.problem);
    return undefined;
  }

  /**
   * Returns the absolute path of a file that another program reads.
   *
   * @param signature - the first byte of every such file
   * @returns undefined after a fault was reported
   */
  binary(
    path: string,
    key: NamingKey,
    { signature, problem }: { readonly signature: number; readonly problem: string },
  ): string | undefined {
    const file = this.locate(path, key);
    try {
      if (firstByte(file) === signature) return file;
      key.report(problem);
    } catch (error) {
      key.report(problemOf(error));
    }
    return undefined;
  }

  /**
   * Reads another file in pieces, when they are requested: a list may be large.
   *
   * @returns undefined after a fault was reported
   */
  readPieces(path: string, key: NamingKey): Iterable<string> | undefined {
    const file = this.locate(path, key);
    this.note(file);
    try {
      // Checked now: the pieces are requested after other faults were reported.
      closeSync(openFile(file));
      return reporting(textPieces(file), key.report);
    } catch (error) {
      key.report(problemOf(error));
      return undefined;
    }
  }

  /**
   * Adds a file to those that are watched.
   *
   * @param file - its absolute path
   * @returns its mark
   */
  note(file: string): string {
    let seen = MISSING;
    try {
      seen = mark(statSync(file));
    } catch {
      // Reading the file reports the error.
    }
    this.#files.set(file, seen);
    return seen;
  }
}

function* reporting(pieces: Iterable<string>, report: Report): Generator<string> {
  try {
    yield* pieces;
  } catch (error) {
    report(problemOf(error));
  }
}

function firstByte(path: string): number | undefined {
  const file = openFile(path);
  try {
    const byte = Buffer.alloc(1);
    return readSync(file, byte) === 0 ? undefined : byte[0];
  } finally {
    closeSync(file);
  }
}

function variable(environment: NodeJS.ProcessEnv, name: string | undefined, report: Report): string | undefined {
  if (name === undefined) report('has ${ without a name and a closing }; write $$ for a dollar sign');
  else if (Object.hasOwn(environment, name)) return environment[name];
  else report(`refers to the variable ${name}, which is not set`);
  return undefined;
}
