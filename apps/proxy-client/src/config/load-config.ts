import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config-error.js';
import type { ConfigFile } from './config-file-shape.js';
import { readEnvironment, type EnvironmentSettings } from './environment.js';
import { FaultList } from './fault-list.js';
import type { ProxyClientConfig, UpstreamConfig } from './proxy-client-config.js';
import { readConfigFile } from './read-config-file.js';

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
  const config = deepFreeze(merge(options, variables, settings));
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

function merge(options: ConfigSources['options'], variables: EnvironmentSettings, file: ConfigFile): ProxyClientConfig {
  const admin = adminListener(variables, file);
  return {
    logLevel: variables.logLevel ?? file.logLevel ?? 'info',
    listeners: [listener(options, variables, file)],
    upstreams: [variables.upstream ?? file.upstream ?? DEFAULT_UPSTREAM],
    timeouts: {
      read: 30_000,
      write: 30_000,
      idle: 120_000,
      connect: 10_000,
      handshake: 30_000,
      response: 0,
      tunnelIdle: 0,
      drain: 10_000,
      ...file.timeouts,
    },
    limits: { headerBytes: 1_048_576, connections: 10_000, ...file.limits },
    pool: { idle: 30_000, perTarget: 64, total: 1024, ...file.pool },
    via: file.via ?? true,
    ...(admin !== undefined && { admin }),
  };
}

function listener(
  options: ConfigSources['options'],
  variables: EnvironmentSettings,
  { mode, listen = {} }: ConfigFile,
): ProxyClientConfig['listeners'][number] {
  return {
    mode: options.mode ?? variables.mode ?? mode ?? 'http',
    host: variables.listenHost ?? listen.host ?? '127.0.0.1',
    port: variables.listenPort ?? listen.port ?? 8080,
    allowedHosts: listen.allowedHosts ?? [],
  };
}

function adminListener(
  { adminPort }: EnvironmentSettings,
  { admin = 'off' }: ConfigFile,
): ProxyClientConfig['admin'] | undefined {
  const group = admin === 'off' ? undefined : { ...DEFAULT_ADMIN, ...admin };
  if (adminPort === undefined) return group;
  return adminPort === 'off' ? undefined : { ...(group ?? DEFAULT_ADMIN), port: adminPort };
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part as object);
  return Object.freeze(value);
}
