import { existsSync } from 'node:fs';
import { ConfigError, type FaultList } from './config-faults.js';
import { logLevel } from './config-file.js';
import { listenPort, mode } from './listener-setting.js';
import type { ListenerMode, ProxyClientConfig, UpstreamConfig } from './proxy-client-config.js';
import { upstreamSetting } from './upstream-setting.js';
import { digits, host, text, type ValueReader } from './value-reader.js';

/** An environment variable for the documentation. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
}

/** Every variable that proxy-client reads. */
export const PROXY_ENVIRONMENT: readonly EnvironmentVariable[] = [
  {
    name: 'PROXY_CONFIG',
    default: '',
    meaning: 'The configuration file; otherwise proxy-client.yaml here, if it exists.',
  },
  {
    name: 'PROXY_MODE',
    default: 'http',
    meaning: 'What the listener speaks: http, socks5, mixed (both), or tunnel (which needs --to and --via).',
  },
  { name: 'PROXY_LOG_LEVEL', default: 'info', meaning: 'debug, info, warn or error.' },
  { name: 'PROXY_LISTEN_HOST', default: '127.0.0.1', meaning: 'The address to listen on.' },
  { name: 'PROXY_LISTEN_PORT', default: '8080', meaning: 'The port to listen on; 0 means any free one.' },
  {
    name: 'PROXY_UPSTREAM',
    default: 'socks5://127.0.0.1:1080',
    meaning: 'The SOCKS5 server, socks5://username:password@host:port, or embedded; replaces the whole of upstream.',
  },
  {
    name: 'PROXY_ADMIN_PORT',
    default: '9090',
    meaning: 'The port of the admin listener, or off; 0 means any free one. Not set: up to 9099 if that one is taken.',
  },
];

/** The parsed variables; those that are not set are absent. */
export interface EnvironmentSettings {
  readonly config?: string;
  readonly mode?: ListenerMode;
  readonly logLevel?: ProxyClientConfig['logLevel'];
  readonly listenHost?: string;
  readonly listenPort?: number;
  readonly upstream?: UpstreamConfig;
  readonly adminPort?: number | 'off';
}

const adminPort: ValueReader<number | 'off'> = (value, place) =>
  value === 'off' ? 'off' : digits(listenPort)(value, place);

const READERS = {
  config: ['PROXY_CONFIG', text(4096)],
  mode: ['PROXY_MODE', mode],
  logLevel: ['PROXY_LOG_LEVEL', logLevel],
  listenHost: ['PROXY_LISTEN_HOST', host],
  listenPort: ['PROXY_LISTEN_PORT', digits(listenPort)],
  upstream: ['PROXY_UPSTREAM', upstreamSetting],
  adminPort: ['PROXY_ADMIN_PORT', adminPort],
} as const satisfies Record<keyof EnvironmentSettings, readonly [string, ValueReader<unknown>]>;

/** Parses the variables; an empty one counts as not set. Faults name the variable. */
export function readEnvironment(environment: NodeJS.ProcessEnv, faults: FaultList): EnvironmentSettings {
  const settings: Record<string, unknown> = {};
  for (const [setting, [name, reader]] of Object.entries(READERS)) {
    const value = environment[name];
    if (value !== undefined && value !== '') settings[setting] = reader(value, faults.place(name));
  }
  return settings;
}

/** Returns proxy-client's part of `.env.example`: all variables are commented out, since they override the configuration file. */
export function proxyEnvExample(): string {
  return PROXY_ENVIRONMENT.map((variable) => `# ${variable.meaning}\n#${variable.name}=${variable.default}\n`).join(
    '\n',
  );
}

/**
 * Loads `.env` of the working directory, if it exists, into the environment; variables that are already set are not changed.
 *
 * @throws {@link ConfigError} if the file cannot be read
 */
export function loadEnvFile(): void {
  if (!existsSync('.env')) return;
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new ConfigError([{ source: '.env', problem: `cannot be read (${code})` }]);
  }
}
