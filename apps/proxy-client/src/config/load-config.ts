import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { reportConflicts, reportListener, reportNames, type ParsedSources } from './check-config.js';
import { ConfigError, FaultList } from './config-faults.js';
import { readConfigFile } from './config-file.js';
import { readEnvironment } from './environment.js';
import { DEFAULT_HOST } from './listener-setting.js';
import { readOptions, type CommandLineOptions } from './options.js';
import type {
  AdminConfig,
  ListenerConfig,
  NamedUpstream,
  ProxyClientConfig,
  RequestLogConfig,
  UpstreamConfig,
} from './proxy-client-config.js';
import type { Rule } from '../rules/rule.js';
import { makeRules } from './rule-setting.js';
import { FileReferences, type FileMarks } from './references.js';

/** The file in the working directory that is used if neither option nor environment specifies one. */
export const DEFAULT_CONFIG_FILE = 'proxy-client.yaml';

/** The sources of the configuration: options override the environment, which overrides the file. */
export interface ConfigSources {
  readonly options: CommandLineOptions;
  readonly environment: NodeJS.ProcessEnv;
  /** The working directory. */
  readonly directory: string;
}

/** The configuration and its files. */
export interface LoadedConfig {
  readonly config: ProxyClientConfig;
  /** The file that was read, as specified. */
  readonly file?: string;
  /** The file, even if it does not exist, and those that it names, with their marks from before they were read. */
  readonly files: FileMarks;
}

const DEFAULT_UPSTREAM: UpstreamConfig = { kind: 'socks5', host: '127.0.0.1', port: 1080, handshake: 'auto', warm: 0 };
/** The name of the upstream of the key `upstream`. */
const ONLY_UPSTREAM = 'upstream';
const DEFAULT_PORT = 8080;
const DEFAULT_ADMIN = { host: '127.0.0.1', port: 9090 };
const LAST_DEFAULT_ADMIN_PORT = 9099;

/**
 * Loads and freezes the configuration. It keeps no state: a reload is another call.
 *
 * @throws {@link ConfigError} with all faults of the command line, the environment and the file
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const loading = load(sources);
  let step = loading.next();
  while (step.done !== true) step = loading.next();
  return step.value;
}

/**
 * Loads the configuration without blocking the event loop, even for a list of a million names.
 *
 * @throws {@link ConfigError}
 */
export async function loadConfigAsync(sources: ConfigSources): Promise<LoadedConfig> {
  const loading = load(sources);
  let step = loading.next();
  for (; step.done !== true; step = loading.next()) await nextTurn();
  return step.value;
}

function* load({ options, environment, directory }: ConfigSources): Generator<undefined, LoadedConfig> {
  const faults = new FaultList();
  const read = { options: readOptions(options, faults), variables: readEnvironment(environment, faults) };
  const named = options.config ?? read.variables.config;
  const file = named ?? (existsSync(join(directory, DEFAULT_CONFIG_FILE)) ? DEFAULT_CONFIG_FILE : undefined);
  const references = new FileReferences(resolve(directory, file ?? DEFAULT_CONFIG_FILE), environment);
  try {
    const settings = file === undefined ? {} : readConfigFile(file, references, faults);
    const rules = yield* makeRules(settings.rules);
    const config = merge({ ...read, settings, file }, rules, faults);
    if (faults.faults.length > 0) throw new ConfigError([]);
    const { files } = references;
    return { config: deepFreeze(config), ...(file !== undefined && { file }), files };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // Faults of the other sources are reported too if the file cannot be read.
    throw new ConfigError([...faults.faults, ...error.faults], references.files);
  }
}

function merge(sources: ParsedSources, rules: readonly Rule[], faults: FaultList): ProxyClientConfig {
  const { variables, settings } = sources;
  reportConflicts(sources, faults);
  const admin = adminListener(sources);
  const requestLog = requestLogOf(sources);
  const config: ProxyClientConfig = {
    logLevel: variables.logLevel ?? settings.logLevel ?? 'info',
    listeners: listeners(sources, faults),
    upstreams: upstreams(sources),
    rules,
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
    ...(requestLog !== undefined && { requestLog }),
    ...(admin !== undefined && { admin }),
  };
  // Invalid entries are missing in the lists, so the indexes would be wrong.
  if (faults.faults.length === 0) reportNames(config, sources, faults);
  return config;
}

function requestLogOf({ settings: { log }, file = '' }: ParsedSources): RequestLogConfig | undefined {
  if (log?.requests === undefined) return undefined;
  const { requests, format = 'json', queries = false } = log;
  return { ...requests, format, queries, setBy: file };
}

function upstreams({ options, variables, settings }: ParsedSources): readonly NamedUpstream[] {
  const only = options.upstream ?? variables.upstream ?? settings.upstream ?? DEFAULT_UPSTREAM;
  return settings.upstreams ?? [{ name: ONLY_UPSTREAM, ...only }];
}

function listeners(sources: ParsedSources, faults: FaultList): readonly ListenerConfig[] {
  const { settings, file = '' } = sources;
  if (settings.listeners !== undefined) {
    if (settings.listeners.length === 0 && faults.faults.length === 0)
      faults.place(file, 'listeners').report('is an empty list: a listener is required');
    return settings.listeners.map((each, index) => ({ ...each, setBy: `listeners[${index}] in ${file}` }));
  }
  const listener = onlyListener(sources);
  reportListener(listener, sources, faults);
  return [listener];
}

/** Returns the listener of the keys `mode` and `listen`. */
function onlyListener(sources: ParsedSources): ListenerConfig {
  const { options, variables, settings } = sources;
  const { to, via } = options;
  const listen = { allowedHosts: [], ...settings.listen, ...(to && { to }), ...(via !== undefined && { via }) };
  return {
    ...listen,
    mode: options.mode ?? variables.mode ?? settings.mode ?? 'http',
    ...listenPlace(sources),
    setBy: listenSetBy(sources),
  };
}

function listenPlace({
  options,
  variables,
  settings: { listen },
}: ParsedSources): Pick<ListenerConfig, 'host' | 'port'> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = listen ?? {};
  return {
    host: options.listen?.host ?? variables.listenHost ?? host,
    port: options.listen?.port ?? variables.listenPort ?? port,
  };
}

function listenSetBy({ options, variables, settings: { listen }, file = '' }: ParsedSources): string {
  if (options.listen?.host !== undefined) return '--listen';
  const key = (name: 'host' | 'port') => listen?.[name] !== undefined && `listen.${name} in ${file}`;
  const host = variables.listenHost === undefined ? key('host') : 'PROXY_LISTEN_HOST';
  const port = variables.listenPort === undefined ? key('port') : 'PROXY_LISTEN_PORT';
  return setBy([host, options.listen === undefined ? port : '--listen'], '--listen or PROXY_LISTEN_PORT');
}

function adminListener({ variables: { adminPort }, settings, file }: ParsedSources): AdminConfig | undefined {
  if (adminPort === 'off' || (adminPort === undefined && settings.admin === 'off')) return undefined;
  const group = settings.admin === 'off' ? undefined : settings.admin;
  if (adminPort === undefined && group === undefined) {
    return { ...DEFAULT_ADMIN, orUpTo: LAST_DEFAULT_ADMIN_PORT, setBy: setBy([false], 'PROXY_ADMIN_PORT') };
  }
  const key = (name: 'host' | 'port') => group?.[name] !== undefined && `admin.${name} in ${file ?? ''}`;
  return {
    ...DEFAULT_ADMIN,
    ...group,
    ...(adminPort !== undefined && { port: adminPort }),
    setBy: setBy([key('host'), adminPort === undefined ? key('port') : 'PROXY_ADMIN_PORT'], 'PROXY_ADMIN_PORT'),
  };
}

/**
 * Returns the settings that were used; for a default port, the settings that change it.
 *
 * @param used - the setting of the port is the last
 */
function setBy(used: readonly (string | false)[], instead: string): string {
  const defaultPort = used.at(-1) === false && `the default port (${instead} changes it)`;
  return [...used, defaultPort].filter((name) => name !== false).join(' and ');
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part as object);
  return Object.freeze(value);
}
