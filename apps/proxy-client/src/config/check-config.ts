import { isIP } from 'node:net';
import type { Target } from '../http/authority.js';
import { isLoopbackAddress, isUnspecified, namesOf, OwnAddresses } from '../routing/rules/own-addresses.js';
import { PacScript } from '../routing/rules/pac-script.js';
import { listsOf } from '../routing/rules/rule.js';
import { reportChain } from './check-chains.js';
import { advice, type FaultList, type ConfigLocation } from './config-faults.js';
import { reportMode } from './listener-setting.js';
import type { Overrides } from './overrides.js';
import type { ConfigFile, ListenerConfig, NamedUpstream, ProxyClientConfig } from './proxy-client-config.js';

/** The parsed settings of each source. */
export interface ParsedSources {
  readonly overrides: Overrides;
  readonly settings: ConfigFile;
  /** The file's name. */
  readonly file: string | undefined;
  /** The port of the only listener if no source specifies one; absent: 8080. */
  readonly defaultPort?: number;
  /** See `ProxyClientConfig`. */
  readonly copies?: string | undefined;
  /** See `ConfigSources`. */
  readonly hasOwnListener?: boolean | undefined;
}

/** Reports settings that conflict with each other; each fault names both. */
export function reportConflicts({ overrides, settings, file = '' }: ParsedSources, faults: FaultList): void {
  const report = (list: 'listeners' | 'upstreams', keys: readonly (keyof ConfigFile)[], sources: Iterable<string>) => {
    if (settings[list] === undefined) return;
    const ofFile = keys.filter((key) => settings[key] !== undefined).map((key) => faults.at(file, key));
    for (const location of [...ofFile, ...Array.from(sources, (source) => faults.at(source))]) {
      location.report(`cannot be combined with ${list} in ${file}: omit one of them`);
    }
  };
  report('listeners', ['listen', 'mode'], overrides.sourcesOf(['listenHost', 'listenPort', 'to', 'via']));
  report('upstreams', ['upstream'], overrides.sourcesOf(['upstream']));
  const [first] = settings.listeners ?? [];
  const mode = overrides.find('mode');
  if (first === undefined || mode === undefined || mode.value === first.mode) return;
  faults.at(mode.source).report(`is ${mode.value}, but the first of listeners in ${file} speaks ${first.mode}`);
}

/** Reports where a listener that is put together from several sources has too little or too much for its mode. */
export function reportListener(
  listener: ListenerConfig,
  { overrides, settings, file }: ParsedSources,
  faults: FaultList,
): void {
  reportMode(listener, (key) => {
    const isOfFile = file !== undefined && (settings.listen?.[key as 'to'] !== undefined || settings.mode === 'tunnel');
    const isOption = overrides.find(key as 'to') !== undefined || !isOfFile;
    return isOption ? faults.at(`--${key}`) : faults.at(file, `listen.${key}`);
  });
}

/** Reports unknown names, duplicate ports, and tunnels and upstreams that lead back to themselves. */
export function reportNames(config: ProxyClientConfig, sources: ParsedSources, faults: FaultList): void {
  const { file = '' } = sources;
  const names = config.upstreams.map(({ name }) => name);
  for (const [index, { to }] of config.rules.entries()) {
    reportUnknownName(to, [...names, 'direct', 'reject', 'ask'], faults.at(file, `rules[${index}].to`));
  }
  for (const { config: list } of listsOf(config)) {
    const { source, setBy } = list;
    if ('file' in source || source.via === undefined) continue;
    reportUnknownName(source.via, [...names, 'direct'], faults.at(setBy.source, `${setBy.key}.via`));
  }
  for (const upstream of config.upstreams) {
    const location = faults.at(file, `upstreams.${upstream.name}`);
    reportGroup(upstream, config.upstreams, location);
    reportChain(upstream, config.upstreams, location);
    if (sources.settings.upstreams !== undefined) reportOwnUpstream(upstream, config, sources, location);
    else if (isUpstreamUsed(config, sources)) {
      reportOwnUpstream(upstream, config, sources, upstreamLocation(sources, faults));
    }
  }
  reportAdmin(config, faults.at(file, 'admin.port'));
  reportListeners(config, sources, faults);
}

function reportListeners(config: ProxyClientConfig, sources: ParsedSources, faults: FaultList): void {
  const { file = '' } = sources;
  for (const [index, listener] of config.listeners.entries()) {
    const location = faults.at(file, sources.settings.listeners === undefined ? 'listen' : `listeners[${index}]`);
    if (listener.mode === 'tunnel') reportTunnel(listener, config, { location, overrides: sources.overrides, faults });
    if (listener.pac === true && !new PacScript(config.rules).fits) {
      location.child('pac').report(LONG_PAC);
    }
    const key = config.listeners
      .slice(0, index)
      .map((other) => sharedAddress(other, listener))
      .find(Boolean);
    if (key !== undefined) location.child(key).report('is used by another listener');
  }
}

/** Returns the key of the address that two listeners have in common. */
function sharedAddress(one: ListenerConfig, other: ListenerConfig): 'socket' | 'systemd' | 'port' | undefined {
  if (one.socket !== undefined && one.socket.path === other.socket?.path) return 'socket';
  if (one.systemd !== undefined && one.systemd === other.systemd) return 'systemd';
  return one.port !== 0 && one.port === other.port && overlap(one.host, other.host) ? 'port' : undefined;
}

/** Returns whether two listeners of one port cannot both listen: `::` takes every address, `0.0.0.0` every one of IPv4. */
function overlap(one: string, other: string): boolean {
  const takes = (all: string, host: string): boolean => all === '::' || (all === '0.0.0.0' && isIP(host) === 4);
  return one === other || takes(one, other) || takes(other, one);
}

const LONG_PAC =
  'would exceed 1 MiB, which browsers reject: put the rules for direct first, or shorten the ones before them';

interface TunnelLocations {
  /** The location of the listener in the file. */
  readonly location: ConfigLocation;
  readonly overrides: Overrides;
  readonly faults: FaultList;
}

function reportTunnel(
  listener: ListenerConfig,
  config: ProxyClientConfig,
  { location, overrides, faults }: TunnelLocations,
): void {
  const locationOf = (key: 'to' | 'via'): ConfigLocation =>
    overrides.find(key) === undefined ? location.child(key) : faults.at(`--${key}`);
  const names = config.upstreams.map(({ name }) => name);
  if (listener.via !== undefined) reportUnknownName(listener.via, [...names, 'direct'], locationOf('via'));
  const server = config.upstreams.find(({ name }) => name === listener.via);
  if (server !== undefined && 'host' in server && server.via === undefined && isAt(listener, server)) {
    locationOf('via').report('is the server at this listener: choose another port for one of them');
  }
  if (isTunnelLoop(listener, config)) {
    locationOf('to').report('leads back to this listener: choose another port for the listener or the target');
  }
}

/** Returns the location of the only upstream; the option that changes it if it is the default. */
function upstreamLocation({ overrides, settings, file = '' }: ParsedSources, faults: FaultList): ConfigLocation {
  const override = overrides.find('upstream');
  if (override === undefined && settings.upstream !== undefined) return faults.at(file, 'upstream');
  return faults.at(override?.source ?? '--upstream');
}

/** Returns whether the only upstream is configured, or is the default of a program without rules, which may not use it. */
function isUpstreamUsed({ rules }: ProxyClientConfig, { overrides, settings, defaultPort }: ParsedSources): boolean {
  const isDefault = overrides.find('upstream') === undefined && settings.upstream === undefined;
  return !isDefault || (rules.length === 0 && defaultPort === undefined);
}

/**
 * Reports a server that is a listener of this proxy, which would forward each request to itself without end. One with credentials
 * may be intended where listeners have users: rules can route them elsewhere.
 */
function reportOwnUpstream(
  upstream: NamedUpstream,
  { listeners }: Config,
  { hasOwnListener }: ParsedSources,
  location: ConfigLocation,
): void {
  if (!('port' in upstream) || hasOwnListener === true) return;
  const { port, via, credentials } = upstream;
  const mayBeRouted = credentials !== undefined && listeners.some(({ users }) => users !== undefined);
  if (via !== undefined || mayBeRouted) return;
  if (listeners.some((each) => each.mode !== 'tunnel' && isAt(each, upstream))) {
    location.report(
      `is this proxy itself, which listens on port ${port}: choose another port for the listener or the server`,
    );
  }
}

function reportAdmin({ admin, listeners }: ProxyClientConfig, location: ConfigLocation): void {
  if (admin === undefined || admin.orUpTo !== undefined) return;
  if (listeners.some((each) => isAt(each, admin))) location.report('is used by a listener');
}

/** Returns whether an address of this machine is that of a listener. 127.0.0.1 and ::1 are two addresses. */
function isAt(listener: ListenerConfig, { host, port }: Target): boolean {
  const [one, other] = [isIP(listener.host), isIP(host)];
  const isOtherFamily = one !== 0 && other !== 0 && one !== other && !isUnspecified(listener.host);
  return !isOtherFamily && addressesOf(listener).isReachedBy({ host, port });
}

/** Reports members of a group that it cannot have. */
function reportGroup(upstream: NamedUpstream, upstreams: readonly NamedUpstream[], location: ConfigLocation): void {
  if (upstream.kind !== 'group') return;
  const groups = upstreams.filter(({ kind }) => kind === 'group').map(({ name }) => name);
  const scripts = upstreams.filter(({ kind }) => kind === 'pac').map(({ name }) => name);
  const others = upstreams.map(({ name }) => name).filter((name) => ![...groups, ...scripts].includes(name));
  for (const [index, member] of upstream.of.entries()) {
    const child = location.child(`of[${index}]`);
    if (groups.includes(member)) child.report('is a group, which cannot be a member of a group: list its members');
    else if (scripts.includes(member)) child.report('is a PAC script, which cannot be a member of a group');
    else reportUnknownName(member, [...others, 'direct'], child);
    if (upstream.of.indexOf(member) !== index) child.report('is listed twice');
    if (member === 'direct' && upstream === upstreams[0]) {
      child.report('direct would become the default: put another upstream first, and add a rule for this group');
    }
  }
}

function reportUnknownName(name: string, known: readonly string[], location: ConfigLocation): void {
  if (known.includes(name)) return;
  location.report(`is not the name of an upstream that is allowed here; ${advice(name, known)}`);
}

type Config = Pick<ProxyClientConfig, 'listeners' | 'upstreams'>;

/**
 * Returns whether the target of a tunnel listener is its own port, or that of a tunnel listener that leads back to it: one
 * connection would open others without end. Through a SOCKS5 server on another machine a loopback address is that of the other
 * machine. Names that only the upstream resolves are not known here.
 */
function isTunnelLoop(listener: ListenerConfig, config: Config): boolean {
  const seen = new Set<ListenerConfig>();
  let next: ListenerConfig | undefined = targetOf(listener, config);
  while (next !== undefined && next !== listener && !seen.has(next)) {
    seen.add(next);
    next = targetOf(next, config);
  }
  return next === listener;
}

/** Returns the listener that the target of a tunnel listener reaches, if it is one of the configuration. */
function targetOf({ to, via }: ListenerConfig, config: Config): ListenerConfig | undefined {
  if (to === undefined || via === undefined) return undefined;
  const isOnThisMachine = connectsFromHere(via, config) || !(isLoopbackAddress(to.host) || isUnspecified(to.host));
  return isOnThisMachine ? config.listeners.find((each) => addressesOf(each).isReachedBy(to)) : undefined;
}

function addressesOf(listener: ListenerConfig): OwnAddresses {
  const { host, port } = listener;
  return new OwnAddresses(port === 0 ? [] : [{ address: host, port }], namesOf([listener]));
}

/** Returns whether an upstream may connect to its targets from this machine. */
function connectsFromHere(name: string, config: Config): boolean {
  const upstream = config.upstreams.find((each) => each.name === name);
  if (upstream?.kind === 'group') return upstream.of.some((member) => connectsFromHere(member, config));
  if (upstream === undefined || upstream.kind === 'embedded') return true;
  if (upstream.kind === 'pac') return upstream.direct;
  const { host, port, via } = upstream;
  if (via !== undefined && !connectsFromHere(via, config)) return false;
  return new OwnAddresses([{ address: '0.0.0.0', port }], []).isReachedBy({ host, port });
}
