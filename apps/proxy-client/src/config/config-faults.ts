/** One thing that is wrong with the configuration. Its text never holds a value: a value may be a secret. */
export interface ConfigFault {
  /** The file's name as it was given, or the name of an environment variable or option. */
  readonly source: string;
  /** Path of the key in the file, such as `upstream.port`; absent when the whole source is meant. */
  readonly key?: string;
  /** What is wrong and what would be right. */
  readonly problem: string;
}

/** The configuration cannot be used; lists everything that is wrong with it. */
export class ConfigError extends Error {
  readonly code = 'PROXY.CONFIG';
  readonly faults: readonly ConfigFault[];
  /** The files whose change may mend it, as they looked before they were read. */
  readonly files: ReadonlyMap<string, string>;

  constructor(faults: readonly ConfigFault[], files: ReadonlyMap<string, string> = new Map()) {
    super(faults.map(faultLine).join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
    this.files = files;
  }

  /** Whether the command line is to blame. */
  get isUsage(): boolean {
    return this.faults.some(({ source }) => source.startsWith('--'));
  }
}

function faultLine({ source, key, problem }: ConfigFault): string {
  return key === undefined ? `${source}: ${problem}` : `${source}: ${key}: ${problem}`;
}

/** What values of a configuration file may refer to: variables of the environment, and other files. */
export interface References {
  /**
   * Puts variables in.
   *
   * @param literal - what becomes of what stands between them
   * @returns undefined when that cannot be, which the place has been told
   */
  expand(text: string, place: Place, literal?: (part: string) => string): string | undefined;
  /** Where a file is that is named so, from the root on. */
  locate(path: string): string;
  /**
   * The text of another file.
   *
   * @returns undefined when it cannot be had, which the place has been told
   */
  read(path: string, place: Place): string | undefined;
}

/** Where a value stands, and where to complain about it. */
export interface Place {
  /** Path of the key; empty for the whole file. */
  readonly key: string;
  /** What values here may refer to; absent where they are taken as they stand: in the environment, on the command line. */
  readonly references: References | undefined;
  complain(problem: string): void;
  child(key: string): Place;
  /** The same place, for a value that is taken as it stands. */
  verbatim(): Place;
}

/** Collects what is wrong, so that a user sees all of it at once. */
export class FaultList {
  readonly faults: ConfigFault[] = [];

  /** A place in a file, or an environment variable or option that has no keys of its own. */
  place(source: string, key = '', references?: References): Place {
    return {
      key,
      references,
      complain: (problem) => {
        this.faults.push({ source, ...(key !== '' && { key }), problem });
      },
      child: (name) => {
        return this.place(source, key === '' || name.startsWith('[') ? key + name : `${key}.${name}`, references);
      },
      verbatim: () => this.place(source, key),
    };
  }
}

/** The word that was probably meant: the one with the fewest edits from `word`, if that is at most 2. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: edits(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter((each) => each.edits <= 2)
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.candidate;
}

/** Levenshtein's distance, one row at a time. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
