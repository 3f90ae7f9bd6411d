import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError, type FaultList } from './config-faults.js';
import { listenPort, mode } from './listener-setting.js';
import { logLevel } from './proxy-client-config.js';
import { target, upstreamSetting } from './upstream-setting.js';
import { digits, host, text, type ValueReader } from './value-reader.js';

/** The command-line options that set the configuration, as text. */
export interface CommandLineOptions {
  readonly config?: string;
  readonly mode?: string;
  readonly listen?: string;
  readonly upstream?: string;
  readonly to?: string;
  readonly via?: string;
}

/** The settings that options or environment variables override, and how they are read. */
const SETTINGS = {
  config: text(4096),
  mode,
  logLevel,
  listenHost: host,
  listenPort: digits(listenPort),
  upstream: upstreamSetting,
  adminPort: ((value, place) => (value === 'off' ? 'off' : digits(listenPort)(value, place))) as ValueReader<
    number | 'off'
  >,
  to: target,
  via: text(64),
};

type SettingName = keyof typeof SETTINGS;
type SettingValue<N extends SettingName> = NonNullable<ReturnType<(typeof SETTINGS)[N]>>;

/** An environment variable with its documentation. */
interface EnvironmentVariable {
  readonly name: string;
  readonly sets: SettingName;
  readonly default: string;
  readonly meaning: string;
}

/** Every variable that proxy-client reads. */
export const PROXY_ENVIRONMENT: readonly EnvironmentVariable[] = [
  {
    name: 'PROXY_CONFIG',
    sets: 'config',
    default: '',
    meaning: 'The configuration file; otherwise proxy-client.yaml here, if it exists.',
  },
  {
    name: 'PROXY_MODE',
    sets: 'mode',
    default: 'http',
    meaning: 'The protocol of the listener: http, socks5, mixed (both), or tunnel (which needs --to and --via).',
  },
  { name: 'PROXY_LOG_LEVEL', sets: 'logLevel', default: 'info', meaning: 'debug, info, warn or error.' },
  { name: 'PROXY_LISTEN_HOST', sets: 'listenHost', default: '127.0.0.1', meaning: 'The address to listen on.' },
  {
    name: 'PROXY_LISTEN_PORT',
    sets: 'listenPort',
    default: '8080',
    meaning: 'The port to listen on; 0 means any free one.',
  },
  {
    name: 'PROXY_UPSTREAM',
    sets: 'upstream',
    default: 'socks5://127.0.0.1:1080',
    meaning:
      'The server, socks5://username:password@host:port (or socks5+tls, http, https), or embedded; replaces the whole of upstream.',
  },
  {
    name: 'PROXY_ADMIN_PORT',
    sets: 'adminPort',
    default: '9090',
    meaning: 'The port of the admin listener, or off; 0 means any free one. Not set: up to 9099 if that one is taken.',
  },
];

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
    for (const { name, sets } of PROXY_ENVIRONMENT) {
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
    const value = SETTINGS[name](text, this.#faults.place(source));
    if (value !== undefined) this.#found.push({ name, source, value });
  }

  /** Adds `PORT`, `HOST:PORT` or `[::1]:PORT`. */
  #addListen(value: string): void {
    const [, at, port] = /^(?:(.+):)?(\d{1,5})$/.exec(value) ?? [];
    if (port === undefined || (at !== undefined && at.includes(':') && !at.startsWith('['))) {
      this.#faults.place('--listen').report('must be PORT, HOST:PORT or [IPV6]:PORT');
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
    return parseEnv(readFileSync('.env', 'utf8'));
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new ConfigError([{ source: '.env', problem: `cannot be read (${code})` }]);
  }
}
