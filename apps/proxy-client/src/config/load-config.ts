import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, FaultList } from './config-faults.js';
import { readConfigFile, type ConfigFile } from './config-file.js';
import { readEnvironment, type EnvironmentSettings } from './environment.js';
import type { AdminConfig, ListenerConfig, ProxyClientConfig, UpstreamConfig } from './proxy-client-config.js';

/** Taken from the working directory when neither option nor environment names a file. */
export const DEFAULT_CONFIG_FILE = 'proxy-client.yaml';

/** Where the configuration comes from; an option wins over the environment, and that over the file. */
export interface ConfigSources {
  readonly options: { readonly mode?: 'http'; readonly config?: string };
  readonly environment: NodeJS.ProcessEnv;
  /** The working directory. */
  readonly directory: string;
}

/** The configuration and what a user should be told about it. */
export interface LoadedConfig {
  readonly config: ProxyClientConfig;
  /** The file that was read, as it was named. */
  readonly file?: string;
}

const DEFAULT_UPSTREAM: UpstreamConfig = { kind: 'socks5', host: '127.0.0.1', port: 1080, handshake: 'auto', warm: 0 };
const DEFAULT_ADMIN = { host: '127.0.0.1', port: 9090 };
const LAST_DEFAULT_ADMIN_PORT = 9099;

/**
 * Puts the configuration together and freezes it.
 *
 * @throws {@link ConfigError} with everything that is wrong in the environment and the file
 */
export function loadConfig({ options, environment, directory }: ConfigSources): LoadedConfig {
  const faults = new FaultList();
  const variables = readEnvironment(environment, faults);
  const file = options.config ?? variables.config ?? defaultFile(directory);
  const settings = file === undefined ? {} : readFile(file, directory, faults);
  if (faults.faults.length > 0) throw new ConfigError(faults.faults);
  const config = deepFreeze(merge({ options, variables, settings, file }));
  return file === undefined ? { config } : { config, file };
}

function defaultFile(directory: string): string | undefined {
  return existsSync(join(directory, DEFAULT_CONFIG_FILE)) ? DEFAULT_CONFIG_FILE : undefined;
}

/** Reports what stands in the environment too when the file cannot be read at all. */
function readFile(file: string, directory: string, faults: FaultList): ConfigFile {
  try {
    return readConfigFile(file, directory, faults);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError([...faults.faults, ...error.faults]);
  }
}

/** What each source says; the rest is absent. */
interface Said {
  readonly options: ConfigSources['options'];
  readonly variables: EnvironmentSettings;
  readonly settings: ConfigFile;
  /** The file's name. */
  readonly file: string | undefined;
}

function merge(said: Said): ProxyClientConfig {
  const { variables, settings } = said;
  const admin = adminListener(said);
  return {
    logLevel: variables.logLevel ?? settings.logLevel ?? 'info',
    listeners: [listener(said)],
    upstreams: [{ name: 'upstream', ...(variables.upstream ?? settings.upstream ?? DEFAULT_UPSTREAM) }],
    rules: [],
    timeouts: {
      read: 30_000,
      write: 30_000,
      idle: 120_000,
      connect: 10_000,
      handshake: 30_000,
      response: 0,
      tunnelIdle: 0,
      drain: 10_000,
      ...settings.timeouts,
    },
    limits: { headerBytes: 1_048_576, connections: 10_000, ...settings.limits },
    pool: { idle: 30_000, perTarget: 64, total: 1024, ...settings.pool },
    via: settings.via ?? true,
    ...(admin !== undefined && { admin }),
  };
}

function listener(said: Said): ListenerConfig {
  const { options, variables, settings } = said;
  const { mode, listen = {} } = settings;
  return {
    mode: options.mode ?? variables.mode ?? mode ?? 'http',
    host: variables.listenHost ?? listen.host ?? '127.0.0.1',
    port: variables.listenPort ?? listen.port ?? 8080,
    allowedHosts: listen.allowedHosts ?? [],
    setBy: listenSetBy(said),
  };
}

function listenSetBy({ variables, settings: { listen }, file }: Said): string {
  const key = (name: 'host' | 'port') => listen?.[name] !== undefined && `listen.${name} in ${file ?? ''}`;
  const host = variables.listenHost === undefined ? key('host') : 'PROXY_LISTEN_HOST';
  const port = variables.listenPort === undefined ? key('port') : 'PROXY_LISTEN_PORT';
  return setBy([host, port], port === false, 'PROXY_LISTEN_PORT');
}

function adminListener({ variables: { adminPort }, settings, file }: Said): AdminConfig | undefined {
  if (adminPort === 'off' || (adminPort === undefined && settings.admin === 'off')) return undefined;
  const group = settings.admin === 'off' ? undefined : settings.admin;
  if (adminPort === undefined && group === undefined) {
    return { ...DEFAULT_ADMIN, orUpTo: LAST_DEFAULT_ADMIN_PORT, setBy: setBy([], true, 'PROXY_ADMIN_PORT') };
  }
  const key = (name: 'host' | 'port') => group?.[name] !== undefined && `admin.${name} in ${file ?? ''}`;
  const port = adminPort === undefined ? key('port') : 'PROXY_ADMIN_PORT';
  return {
    ...DEFAULT_ADMIN,
    ...group,
    ...(adminPort !== undefined && { port: adminPort }),
    setBy: setBy([key('host'), port], port === false, 'PROXY_ADMIN_PORT'),
  };
}

/** The settings that were used; for a port that none of them gives, the one that would. */
function setBy(used: readonly (string | false)[], isDefaultPort: boolean, variable: string): string {
  const defaultPort = isDefaultPort && `the default port (${variable} changes it)`;
  return [...used, defaultPort].filter((name) => name !== false).join(' and ');
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part as object);
  return Object.freeze(value);
}
