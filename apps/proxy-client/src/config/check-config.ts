import { PacScript } from '../rules/pac-script.js';
import { nearest, type FaultList, type Place } from './config-faults.js';
import type { ConfigFile } from './config-file.js';
import type { EnvironmentSettings } from './environment.js';
import { reportMode } from './listener-setting.js';
import type { OptionSettings } from './options.js';
import type { GroupConfig, ListenerConfig, NamedUpstream, ProxyClientConfig } from './proxy-client-config.js';
import { isTunnelLoop } from './tunnel-loops.js';

/** The parsed settings of each source. */
export interface ParsedSources {
  readonly options: OptionSettings;
  readonly variables: EnvironmentSettings;
  readonly settings: ConfigFile;
  /** The file's name. */
  readonly file: string | undefined;
}

/** Returns the settings that conflict with a list in the file, with their names. */
function conflictsOf({ options, variables, settings, file = '' }: ParsedSources) {
  const ofFile = (key: keyof ConfigFile) => ({ source: file, key, isSet: settings[key] !== undefined });
  const ofVariable = (source: string, value: unknown) => ({ source, key: '', isSet: value !== undefined });
  const ofOption = (name: keyof OptionSettings) => ofVariable(`--${name}`, options[name]);
  return {
    listeners: [
      ofFile('listen'),
      ofFile('mode'),
      ofVariable('PROXY_LISTEN_HOST', variables.listenHost),
      ofVariable('PROXY_LISTEN_PORT', variables.listenPort),
      ...(['listen', 'to', 'via'] as const).map(ofOption),
    ],
    upstreams: [ofFile('upstream'), ofVariable('PROXY_UPSTREAM', variables.upstream), ofOption('upstream')],
  };
}

/** Reports settings that conflict with each other; each fault names both. */
export function reportConflicts(sources: ParsedSources, faults: FaultList): void {
  const { settings, file = '' } = sources;
  for (const [list, others] of Object.entries(conflictsOf(sources))) {
    if (settings[list as 'listeners' | 'upstreams'] === undefined) continue;
    for (const { source, key, isSet } of others) {
      if (isSet) faults.place(source, key).report(`cannot be combined with ${list} in ${file}: omit one of them`);
    }
  }
  reportModeConflict(sources, faults);
}

/** Reports a mode that differs from that of the first listener. */
function reportModeConflict({ options, variables, settings, file = '' }: ParsedSources, faults: FaultList): void {
  const [first] = settings.listeners ?? [];
  const [source, mode] = options.mode === undefined ? ['PROXY_MODE', variables.mode] : ['--mode', options.mode];
  if (first === undefined || mode === undefined || mode === first.mode) return;
  faults.place(source).report(`is ${mode}, but the first of listeners in ${file} speaks ${first.mode}`);
}

/** Reports where a listener that is put together from several sources has too little or too much for its mode. */
export function reportListener(
  listener: ListenerConfig,
  { options, settings, file }: ParsedSources,
  faults: FaultList,
): void {
  reportMode(listener, (key) => {
    const isOfFile = file !== undefined && (settings.listen?.[key as 'to'] !== undefined || settings.mode === 'tunnel');
    const isOption = key in options || !isOfFile;
    return isOption ? faults.place(`--${key}`) : faults.place(file, `listen.${key}`);
  });
}

/** Reports unknown names and duplicate ports. */
export function reportNames(config: ProxyClientConfig, sources: ParsedSources, faults: FaultList): void {
  const { file = '' } = sources;
  const { upstreams, rules } = config;
  const names = upstreams.map(({ name }) => name);
  for (const [index, { to }] of rules.entries()) {
    reportUnknownName(to, [...names, 'direct', 'reject'], faults.place(file, `rules[${index}].to`));
  }
  for (const [index, upstream] of upstreams.entries()) {
    if (upstream.kind === 'group') reportGroup(upstream, upstreams, { isFirst: index === 0, file, faults });
  }
  reportListeners(config, [...names, 'direct'], sources, faults);
}

function reportListeners(
  config: ProxyClientConfig,
  upstreamNames: readonly string[],
  sources: ParsedSources,
  faults: FaultList,
): void {
  const { listeners, rules } = config;
  const { settings, file = '' } = sources;
  const places = new Set<string>();
  const pacScript = new PacScript(rules);
  for (const [index, listener] of listeners.entries()) {
    const { host, port, pac } = listener;
    const key = settings.listeners === undefined ? 'listen' : `listeners[${index}]`;
    if (listener.mode === 'tunnel') complainOfTunnel(listener, { config, upstreamNames, sources, key, faults });
    if (pac === true && !pacScript.fits) {
      faults
        .place(file, `${key}.pac`)
        .report(
          'would exceed 1 MiB, which browsers reject: put the rules for direct first, or shorten the ones before them',
        );
    }
    const at = `${host} ${port}`;
    if (port !== 0 && places.has(at)) faults.place(file, `${key}.port`).report('is used by another listener');
    places.add(at);
  }
}

interface TunnelContext {
  readonly config: ProxyClientConfig;
  readonly upstreamNames: readonly string[];
  readonly sources: ParsedSources;
  /** The listener's key in the file. */
  readonly key: string;
  readonly faults: FaultList;
}

function complainOfTunnel(
  listener: ListenerConfig,
  { config, upstreamNames, sources, key, faults }: TunnelContext,
): void {
  const { options, file = '' } = sources;
  const placeOf = (name: 'to' | 'via'): Place =>
    options[name] === undefined ? faults.place(file, `${key}.${name}`) : faults.place(`--${name}`);
  if (listener.via !== undefined) reportUnknownName(listener.via, upstreamNames, placeOf('via'));
  if (isTunnelLoop(listener, config)) {
    placeOf('to').report('leads back to this listener: choose another port for the listener or the target');
  }
}

interface GroupContext {
  readonly isFirst: boolean;
  readonly file: string;
  readonly faults: FaultList;
}

function reportGroup(
  { name, of }: GroupConfig & { readonly name: string },
  upstreams: readonly NamedUpstream[],
  { isFirst, file, faults }: GroupContext,
): void {
  const members = upstreams.filter(({ kind }) => kind !== 'group').map((each) => each.name);
  for (const [index, member] of of.entries()) {
    const place = faults.place(file, `upstreams.${name}.of[${index}]`);
    if (upstreams.some((each) => each.kind === 'group' && each.name === member)) {
      place.report('is a group, which cannot be a member of a group: list its members');
    } else reportUnknownName(member, [...members, 'direct'], place);
    if (of.indexOf(member) !== index) place.report('is listed twice');
    if (member === 'direct' && isFirst) {
      place.report('direct would become the default: put another upstream first, and add a rule for this group');
    }
  }
}

function reportUnknownName(name: string, known: readonly string[], place: Place): void {
  if (known.includes(name)) return;
  const meant = nearest(name, known);
  const advice = meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`;
  place.report(`is not the name of an upstream that is allowed here; ${advice}`);
}
