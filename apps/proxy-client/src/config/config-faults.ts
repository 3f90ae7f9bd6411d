import { nearest } from '#spelling';
import type { FileMarks, FileReferences, KeyPath } from './references.js';

/** A fault in the configuration. Its text never contains a value, which may be a secret. */
export interface ConfigFault {
  /** The file as specified, or the name of an environment variable or option. */
  readonly source: string;
  /** The path of the key in the file, such as `upstream.port`; absent if the fault concerns the whole source. */
  readonly key?: string;
  /** The error and the expected value. */
  readonly problem: string;
}

/** The configuration is invalid; lists all faults. */
export class ConfigError extends Error {
  readonly code = 'PROXY.CONFIG';
  readonly faults: readonly ConfigFault[];
  /** The files that may have to be changed, with their marks from before they were read. */
  readonly files: FileMarks;

  constructor(faults: readonly ConfigFault[], files: FileMarks = new Map()) {
    super(faults.map(faultLine).join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
    this.files = files;
  }

  /** Whether the command line is faulty. */
  get isUsage(): boolean {
    return this.faults.some(({ source }) => source.startsWith('--'));
  }
}

function faultLine({ source, key, problem }: ConfigFault): string {
  return key === undefined ? `${source}: ${problem}` : `${source}: ${key}: ${problem}`;
}

/** The location of a value, for faults. */
export interface ConfigLocation {
  /** See {@link ConfigFault.source}. */
  readonly source: string;
  /** The path of the key; empty for the whole file. */
  readonly key: string;
  /** The path as its parts: names of keys, and indexes of lists. */
  readonly path: KeyPath;
  /** Absent if values are literal: in the environment and on the command line. */
  readonly references: FileReferences | undefined;
  readonly report: (problem: string) => void;
  child(key: string): ConfigLocation;
  /** Returns the same location for a literal value. */
  verbatim(): ConfigLocation;
}

/** Collects faults, so that a user sees all of them at once. */
export class FaultList {
  readonly faults: ConfigFault[] = [];

  /** Creates the location of a key in a file, or of an environment variable or option. */
  at(source: string, key = '', references?: FileReferences, path: KeyPath = []): ConfigLocation {
    return {
      source,
      key,
      path,
      references,
      report: (problem) => {
        this.faults.push({ source, ...(key !== '' && { key }), problem });
      },
      child: (name) => {
        const isIndex = name.startsWith('[');
        const below = key === '' || isIndex ? key + name : `${key}.${name}`;
        return this.at(source, below, references, [...path, isIndex ? Number(name.slice(1, -1)) : name]);
      },
      verbatim: () => this.at(source, key, undefined, path),
    };
  }
}

/** Describes what may have been meant by an unknown name: the nearest known one, or all of them. */
export function advice(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`;
}
