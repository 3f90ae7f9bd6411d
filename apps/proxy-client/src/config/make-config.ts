import type { Rule } from '../routing/rules/rule.js';
import { reportConflicts, reportListener, reportNames, type ParsedSources } from './check-config.js';
import type { FaultList } from './config-faults.js';
import { DEFAULT_ASK } from './gate-setting.js';
import { LISTEN_DEFAULTS } from './listener-setting.js';
import {
  type AdminConfig,
  adminGroup,
  configFileShape,
  limitsGroup,
  type ListenerConfig,
  logGroup,
  type NamedUpstream,
  poolGroup,
  type ProxyClientConfig,
  type RequestLogConfig,
  timeoutsGroup,
  type UpstreamConfig,
} from './proxy-client-config.js';
import { defaultsOf } from './setting.js';

const DEFAULTS = defaultsOf(configFileShape);
/** The name of the upstream of the key `upstream`. */
const ONLY_UPSTREAM = 'upstream';
const DEFAULT_ADMIN = defaultsOf(adminGroup);
const LAST_DEFAULT_ADMIN_PORT = 9099;

/**
 * Makes the configuration from its parsed sources and the defaults, and freezes it. Faults that concern several settings are added to
 * `faults`; with faults it is incomplete.
 */
export function makeConfig(sources: ParsedSources, rules: readonly Rule[], faults: FaultList): ProxyClientConfig {
  const { overrides, settings } = sources;
  reportConflicts(sources, faults);
  const admin = adminListener(sources);
  const requestLog = requestLogOf(sources);
  const only: UpstreamConfig = overrides.get('upstream') ?? settings.upstream ?? DEFAULTS.upstream;
  const upstreams: readonly NamedUpstream[] = settings.upstreams ?? [{ name: ONLY_UPSTREAM, ...only }];
  const config: ProxyClientConfig = {
    logLevel: overrides.get('logLevel') ?? settings.logLevel ?? DEFAULTS.logLevel,
    listeners: listeners(sources, faults),
    upstreams,
    rules,
    rejectsByDefault: settings.default !== undefined,
    asksByDefault: settings.default === 'ask',
    ask: { ...DEFAULT_ASK, ...settings.gate?.ask },
    timeouts: { ...defaultsOf(timeoutsGroup), ...settings.timeouts },
    limits: { ...defaultsOf(limitsGroup), ...settings.limits },
    pool: { ...defaultsOf(poolGroup), ...settings.pool },
    via: settings.via ?? DEFAULTS.via,
    ...present({ copies: sources.copies, requestLog, admin }),
  };
  // Invalid entries are missing in the lists, so the indexes would be wrong.
  if (faults.faults.length === 0) reportNames(config, sources, faults);
  return deepFreeze(config);
}

/** Returns the properties that are not undefined. */
function present<T extends object>(properties: T): { readonly [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as T;
}

function requestLogOf({ settings: { log }, file = '' }: ParsedSources): RequestLogConfig | undefined {
  if (log?.requests === undefined) return undefined;
  const { requests, ...others } = log;
  return { ...defaultsOf(logGroup), ...others, ...requests, setBy: file };
}

function listeners(sources: ParsedSources, faults: FaultList): readonly ListenerConfig[] {
  const { settings, file = '' } = sources;
  if (settings.listeners !== undefined) {
    return settings.listeners.map((each, index) => ({ ...each, setBy: `listeners[${index}] in ${file}` }));
  }
  const listener = onlyListener(sources);
  reportListener(listener, sources, faults);
  return [listener];
}

/** Returns the listener of the keys `mode` and `listen`. */
function onlyListener(sources: ParsedSources): ListenerConfig {
  const { overrides, settings } = sources;
  const { socket, systemd, ...others } = settings.listen ?? {};
  const { mode = DEFAULTS.mode } = settings;
  const common = {
    allowedHosts: LISTEN_DEFAULTS.allowedHosts,
    ...others,
    mode,
    ...overrides.values('mode', 'to', 'via'),
  };
  // An option or a variable replaces the whole address of the file.
  const isOfFile = overrides.sourcesOf(['listenHost', 'listenPort']).size === 0;
  if (isOfFile && (socket !== undefined || systemd !== undefined)) {
    const address = { ...(socket && { socket }), ...(systemd !== undefined && { systemd }) };
    const setBy = `listen.${String(Object.keys(address)[0])} in ${sources.file ?? ''}`;
    return { ...common, ...address, host: LISTEN_DEFAULTS.host, port: 0, setBy };
  }
  return { ...common, ...networkAddress(sources) };
}

/** Returns host and port of the only listener. */
function networkAddress({ overrides, settings, file, defaultPort }: ParsedSources) {
  const { listen = {} } = settings;
  const host = overrides.find('listenHost') ?? ofFile(listen.host, 'listen.host', file);
  const port = overrides.find('listenPort') ?? ofFile(listen.port ?? defaultPort, 'listen.port', file);
  return {
    host: host?.value ?? LISTEN_DEFAULTS.host,
    port: port?.value ?? LISTEN_DEFAULTS.port,
    setBy: setBy(host, port, '--listen or PROXY_LISTEN_PORT'),
  };
}

function adminListener({ overrides, settings, file }: ParsedSources): AdminConfig | undefined {
  const override = overrides.find('adminPort');
  if ((override?.value ?? settings.admin) === 'off') return undefined;
  const group: Partial<AdminConfig> = settings.admin === 'off' ? {} : { ...settings.admin };
  const port = override ?? ofFile(group.port, 'admin.port', file);
  const host = ofFile(group.host, 'admin.host', file);
  return {
    ...DEFAULT_ADMIN,
    ...(override === undefined && settings.admin === undefined && { orUpTo: LAST_DEFAULT_ADMIN_PORT }),
    ...group,
    port: Number(port?.value ?? DEFAULT_ADMIN.port),
    setBy: setBy(host, port, 'PROXY_ADMIN_PORT'),
  };
}

interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

function ofFile<T>(value: T | undefined, key: string, file = ''): Sourced<T> | undefined {
  return value === undefined ? undefined : { value, source: `${key} in ${file}` };
}

/** Returns the settings of an address; for a default port, the settings that change it. */
function setBy(host: Sourced<unknown> | undefined, port: Sourced<unknown> | undefined, instead: string): string {
  const used = new Set([host?.source, port?.source ?? `the default port (${instead} changes it)`]);
  return [...used].filter((name) => name !== undefined).join(' and ');
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part as object);
  return Object.freeze(value);
}
