import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { complainOfBoth, complainOfListener, complainOfNames, type Said } from './check-config.js';
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

/** Taken from the working directory when neither option nor environment names a file. */
export const DEFAULT_CONFIG_FILE = 'proxy-client.yaml';

/** Where the configuration comes from; an option wins over the environment, and that over the file. */
export interface ConfigSources {
  readonly options: CommandLineOptions;
  readonly environment: NodeJS.ProcessEnv;
  /** The working directory. */
  readonly directory: string;
}

/** The configuration and what a user should be told about it. */
export interface LoadedConfig {
  readonly config: ProxyClientConfig;
  /** The file that was read, as it was named. */
  readonly file?: string;
  /** What may change it: that file, also where it would be, and those that it names, as they looked before they were read. */
  readonly files: FileMarks;
}

const DEFAULT_UPSTREAM: UpstreamConfig = { kind: 'socks5', host: '127.0.0.1', port: 1080, handshake: 'auto', warm: 0 };
/** The name of the upstream that is given without one. */
const ONLY_UPSTREAM = 'upstream';
const DEFAULT_PORT = 8080;
const DEFAULT_ADMIN = { host: '127.0.0.1', port: 9090 };
const LAST_DEFAULT_ADMIN_PORT = 9099;

/**
 * Puts the configuration together and freezes it. Nothing is left of a former call: a reload is another call.
 *
 * @throws {@link ConfigError} with everything that is wrong in the command line, the environment and the file
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const loading = load(sources);
  let step = loading.next();
  while (step.done !== true) step = loading.next();
  return step.value;
}

/**
 * The same beside all else that goes on: after each step the loop has its turn, so that a list of a million names holds
 * nobody up.
 *
 * @throws {@link ConfigError}
 */
export async function loadConfigBeside(sources: ConfigSources): Promise<LoadedConfig> {
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
    // What stands elsewhere is told too when the file cannot be read at all.
    throw new ConfigError([...faults.faults, ...error.faults], references.files);
  }
}

function merge(said: Said, rules: readonly Rule[], faults: FaultList): ProxyClientConfig {
  const { variables, settings } = said;
  complainOfBoth(said, faults);
  const admin = adminListener(said);
  const requestLog = requestLogOf(said);
  const config: ProxyClientConfig = {
    logLevel: variables.logLevel ?? settings.logLevel ?? 'info',
    listeners: listeners(said, faults),
    upstreams: upstreams(said),
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
  // What was not understood is missing in the lists, and their numbers would be others.
  if (faults.faults.length === 0) complainOfNames(config, said, faults);
  return config;
}

function requestLogOf({ settings: { log }, file = '' }: Said): RequestLogConfig | undefined {
  if (log?.requests === undefined) return undefined;
  const { requests, format = 'json', queries = false } = log;
  return { ...requests, format, queries, setBy: file };
}

function upstreams({ options, variables, settings }: Said): readonly NamedUpstream[] {
  const only = options.upstream ?? variables.upstream ?? settings.upstream ?? DEFAULT_UPSTREAM;
  return settings.upstreams ?? [{ name: ONLY_UPSTREAM, ...only }];
}

function listeners(said: Said, faults: FaultList): readonly ListenerConfig[] {
  const { settings, file = '' } = said;
  if (settings.listeners !== undefined) {
    if (settings.listeners.length === 0 && faults.faults.length === 0)
      faults.place(file, 'listeners').complain('is an empty list: there is nothing to listen on');
    return settings.listeners.map((each, index) => ({ ...each, setBy: `listeners[${index}] in ${file}` }));
  }
  const listener = onlyListener(said);
  complainOfListener(listener, said, faults);
  return [listener];
}

/** The one listener of those who name no list. */
function onlyListener(said: Said): ListenerConfig {
  const { options, variables, settings } = said;
  const { to, via } = options;
  const listen = { allowedHosts: [], ...settings.listen, ...(to && { to }), ...(via !== undefined && { via }) };
  return {
    ...listen,
    mode: options.mode ?? variables.mode ?? settings.mode ?? 'http',
    ...listenPlace(said),
    setBy: listenSetBy(said),
  };
}

function listenPlace({ options, variables, settings: { listen } }: Said): Pick<ListenerConfig, 'host' | 'port'> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = listen ?? {};
  return {
    host: options.listen?.host ?? variables.listenHost ?? host,
    port: options.listen?.port ?? variables.listenPort ?? port,
  };
}

function listenSetBy({ options, variables, settings: { listen }, file = '' }: Said): string {
  if (options.listen?.host !== undefined) return '--listen';
  const key = (name: 'host' | 'port') => listen?.[name] !== undefined && `listen.${name} in ${file}`;
  const host = variables.listenHost === undefined ? key('host') : 'PROXY_LISTEN_HOST';
  const port = variables.listenPort === undefined ? key('port') : 'PROXY_LISTEN_PORT';
  return setBy([host, options.listen === undefined ? port : '--listen'], '--listen or PROXY_LISTEN_PORT');
}

function adminListener({ variables: { adminPort }, settings, file }: Said): AdminConfig | undefined {
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
 * The settings that were used; for a port that none of them gives, those that would.
 *
 * @param used - the one for the port last
 */
function setBy(used: readonly (string | false)[], instead: string): string {
  const defaultPort = used.at(-1) === false && `the default port (${instead} changes it)`;
  return [...used, defaultPort].filter((name) => name !== false).join(' and ');
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part as object);
  return Object.freeze(value);
}
