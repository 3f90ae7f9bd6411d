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

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(faultLine).join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

function faultLine({ source, key, problem }: ConfigFault): string {
  return key === undefined ? `${source}: ${problem}` : `${source}: ${key}: ${problem}`;
}
