import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { nearest } from '#spelling';
import { ConfigError, type FaultList } from './config-faults.js';
import { listenGroup, listenPort } from './listener-setting.js';
import { adminGroup, configFileShape } from './proxy-client-config.js';
import { key, orOff } from './setting.js';
import { digits, text } from './value-reader.js';

/** The command-line options that set the configuration, as text. */
export interface CommandLineOptions {
  readonly config?: string;
  readonly mode?: string;
  readonly listen?: string;
  readonly upstream?: string;
  readonly to?: string;
  readonly via?: string;
}

const { mode, logLevel, upstream } = configFileShape.shape;
const { host, port, to, via } = listenGroup.shape;

/** The settings that options or environment variables override, and how they are read. */
const SETTINGS = {
  config: key(text(4096), 'The configuration file; otherwise proxy-client.yaml here, if it exists.'),
  mode,
  logLevel,
  listenHost: host,
  listenPort: digits(port),
  upstream,
  adminPort: key(
    orOff(digits(listenPort)),
    'The port of the admin listener, or off; 0: any free one. Not set: up to 9099 if that one is taken.',
    adminGroup.shape.port.json.default,
  ),
  to,
  via,
};

type SettingName = keyof typeof SETTINGS;
type SettingValue<N extends SettingName> = NonNullable<ReturnType<(typeof SETTINGS)[N]>>;

/** The setting that each environment variable overrides. */
const VARIABLES = {
  PROXY_CONFIG: 'config',
  PROXY_MODE: 'mode',
  PROXY_LOG_LEVEL: 'logLevel',
  PROXY_LISTEN_HOST: 'listenHost',
  PROXY_LISTEN_PORT: 'listenPort',
  PROXY_UPSTREAM: 'upstream',
  PROXY_ADMIN_PORT: 'adminPort',
} as const satisfies Readonly<Record<string, SettingName>>;

/** An environment variable with its documentation, which is that of its setting. */
interface EnvironmentVariable {
  readonly name: string;
  /** Empty: none. */
  readonly default: string;
  readonly meaning: string;
}

/** Every variable that proxy-client reads. */
export const PROXY_ENVIRONMENT: readonly EnvironmentVariable[] = Object.entries(VARIABLES).map(([name, sets]) => {
  const { description = '', default: written = '' } = SETTINGS[sets].json;
  return { name, default: String(written), meaning: description };
});

const PREFIX = /^PROXY_/i;

/**
 * Reports set variables with nearly the name of one of proxy-client, also in the prefix. An empty variable counts as not set.
 *
 * @param referred - the variables that the configuration file refers to
 * @returns the other variables with the prefix that are not read
 */
export function reportMisspelt(
  environment: NodeJS.ProcessEnv,
  referred: ReadonlySet<string>,
  faults: FaultList,
): readonly string[] {
  const known = PROXY_ENVIRONMENT.map(({ name }) => name);
  const unknown = Object.entries(environment)
    .filter(([name, value]) => value !== undefined && value !== '' && !known.includes(name) && !referred.has(name))
    .map(([name]) => ({ name, meant: nearest(name, known) }));
  for (const { name, meant } of unknown) {
    // A name that ends in the whole one has the prefix of another program.
    const isMisspelt = meant !== undefined && (PREFIX.test(name) || !name.toUpperCase().endsWith(meant));
    if (isMisspelt) faults.at(name).report(`is not a variable of proxy-client; did you mean "${meant}"?`);
  }
  return unknown.filter(({ name, meant }) => PREFIX.test(name) && meant === undefined).map(({ name }) => name);
}

/** A setting of an option or an environment variable. */
interface Override<N extends SettingName = SettingName> {
  readonly name: N;
  /** The option or variable. */
  readonly source: string;
  readonly value: SettingValue<N>;
}

/** The settings of options and environment variables; options take precedence. */
export class Overrides {
  readonly #found: Override[] = [];
  readonly #faults: FaultList;

  /** Faults name the option or variable, and never contain a value. An empty variable counts as not set. */
  constructor(options: CommandLineOptions, environment: NodeJS.ProcessEnv, faults: FaultList) {
    this.#faults = faults;
    const { listen, ...others } = options;
    for (const [name, value] of Object.entries(others)) {
      if (name !== 'config') this.#add(name as SettingName, `--${name}`, value);
    }
    if (listen !== undefined) this.#addListen(listen);
    for (const [name, sets] of Object.entries(VARIABLES)) {
      const value = environment[name];
      if (value !== undefined && value !== '') this.#add(sets, name, value);
    }
  }

  /** Returns a setting with its source. */
  find<N extends SettingName>(name: N): Override<N> | undefined {
    return this.#found.find((each): each is Override<N> => each.name === name);
  }

  /** Returns the values of those settings that are set. */
  values<N extends SettingName>(...names: readonly N[]): { readonly [Name in N]?: SettingValue<Name> } {
    const found = names.map((name) => this.find(name)).filter((each) => each !== undefined);
    return Object.fromEntries(found.map(({ name, value }) => [name, value])) as { [Name in N]?: SettingValue<Name> };
  }

  /** Returns the value of a setting. */
  get<N extends SettingName>(name: N): SettingValue<N> | undefined {
    return this.find(name)?.value;
  }

  /** Returns the sources of some settings. */
  sourcesOf(names: readonly SettingName[]): ReadonlySet<string> {
    return new Set(this.#found.filter(({ name }) => names.includes(name)).map(({ source }) => source));
  }

  #add(name: SettingName, source: string, text: unknown): void {
    const value = SETTINGS[name](text, this.#faults.at(source));
    if (value !== undefined) this.#found.push({ name, source, value });
  }

  /** Adds `PORT`, `HOST:PORT` or `[::1]:PORT`. */
  #addListen(value: string): void {
    const [, at, port] = /^(?:(.+):)?(\d{1,5})$/.exec(value) ?? [];
    if (port === undefined || (at !== undefined && at.includes(':') && !at.startsWith('['))) {
      this.#faults.at('--listen').report('must be PORT, HOST:PORT or [IPV6]:PORT');
      return;
    }
    this.#add('listenPort', '--listen', port);
    if (at !== undefined) this.#add('listenHost', '--listen', at);
  }
}

/** Returns proxy-client's part of `.env.example`: all variables are commented out, since they override the configuration file. */
export function proxyEnvExample(): string {
  return PROXY_ENVIRONMENT.map((variable) => `# ${variable.meaning}\n#${variable.name}=${variable.default}\n`).join(
    '\n',
  );
}

/**
 * Returns the variables of `.env` in the working directory, if it exists. They are for the configuration only: neither Node nor child
 * processes see them.
 *
 * @throws {@link ConfigError} if the file cannot be read
 */
export function readEnvFile(): NodeJS.ProcessEnv {
  if (!existsSync('.env')) return {};
  try {
    // It may be a named pipe, as password managers create them: it is read once, at the start.
    return parseEnv(readFileSync('.env', 'utf8'));
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new ConfigError([{ source: '.env', problem: `cannot be read (${code})` }]);
  }
}
