import { PacScript } from '../rules/pac-script.js';
import { nearest, type FaultList, type Place } from './config-faults.js';
import type { ConfigFile } from './config-file.js';
import type { EnvironmentSettings } from './environment.js';
import { complainOfMode } from './listener-setting.js';
import type { OptionSettings } from './options.js';
import type { GroupConfig, ListenerConfig, NamedUpstream, ProxyClientConfig } from './proxy-client-config.js';
import { isTunnelLoop } from './tunnel-loops.js';

/** What each source says; the rest is absent. */
export interface Said {
  readonly options: OptionSettings;
  readonly variables: EnvironmentSettings;
  readonly settings: ConfigFile;
  /** The file's name. */
  readonly file: string | undefined;
}

/** What says by itself what a list of the file says, and under which name. */
function besides({ options, variables, settings, file = '' }: Said) {
  const ofFile = (key: keyof ConfigFile) => ({ source: file, key, isThere: settings[key] !== undefined });
  const ofVariable = (source: string, value: unknown) => ({ source, key: '', isThere: value !== undefined });
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

/** Complains of what two sources say in two ways: each fault names both. */
export function complainOfBoth(said: Said, faults: FaultList): void {
  const { settings, file = '' } = said;
  for (const [list, others] of Object.entries(besides(said))) {
    if (settings[list as 'listeners' | 'upstreams'] === undefined) continue;
    for (const { source, key, isThere } of others) {
      if (isThere) faults.place(source, key).complain(`cannot stand beside ${list} in ${file}: leave one of them out`);
    }
  }
  complainOfOtherMode(said, faults);
}

/** The mode that is asked for is that of the first listener. */
function complainOfOtherMode({ options, variables, settings, file = '' }: Said, faults: FaultList): void {
  const [first] = settings.listeners ?? [];
  const [source, mode] = options.mode === undefined ? ['PROXY_MODE', variables.mode] : ['--mode', options.mode];
  if (first === undefined || mode === undefined || mode === first.mode) return;
  faults.place(source).complain(`is ${mode}, but the first of listeners in ${file} speaks ${first.mode}`);
}

/** Complains where a listener that is put together from several sources has too little or too much for its mode. */
export function complainOfListener(
  listener: ListenerConfig,
  { options, settings, file }: Said,
  faults: FaultList,
): void {
  complainOfMode(listener, (key) => {
    const isOfFile = file !== undefined && (settings.listen?.[key as 'to'] !== undefined || settings.mode === 'tunnel');
    const isOption = key in options || !isOfFile;
    return isOption ? faults.place(`--${key}`) : faults.place(file, `listen.${key}`);
  });
}

/** Complains of names that stand for nothing, and of ports that stand twice. */
export function complainOfNames(config: ProxyClientConfig, said: Said, faults: FaultList): void {
  const { file = '' } = said;
  const { upstreams, rules } = config;
  const names = upstreams.map(({ name }) => name);
  for (const [index, { to }] of rules.entries()) {
    complainUnlessOneOf(to, [...names, 'direct', 'reject'], faults.place(file, `rules[${index}].to`));
  }
  for (const [index, upstream] of upstreams.entries()) {
    if (upstream.kind === 'group') complainOfGroup(upstream, upstreams, { isFirst: index === 0, file, faults });
  }
  complainOfListeners(config, [...names, 'direct'], said, faults);
}

function complainOfListeners(
  config: ProxyClientConfig,
  waysOut: readonly string[],
  said: Said,
  faults: FaultList,
): void {
  const { listeners, rules } = config;
  const { settings, file = '' } = said;
  const places = new Set<string>();
  const pacScript = new PacScript(rules);
  for (const [index, listener] of listeners.entries()) {
    const { host, port, pac } = listener;
    const key = settings.listeners === undefined ? 'listen' : `listeners[${index}]`;
    if (listener.mode === 'tunnel') complainOfTunnel(listener, { config, waysOut, said, key, faults });
    if (pac === true && !pacScript.fits) {
      faults
        .place(file, `${key}.pac`)
        .complain(
          'would be over 1 MiB, which browsers do not read: put the rules to direct first, or shorten those before',
        );
    }
    const at = `${host} ${port}`;
    if (port !== 0 && places.has(at)) faults.place(file, `${key}.port`).complain('is that of another listener');
    places.add(at);
  }
}

interface TunnelContext {
  readonly config: ProxyClientConfig;
  readonly waysOut: readonly string[];
  readonly said: Said;
  /** The listener's key in the file. */
  readonly key: string;
  readonly faults: FaultList;
}

function complainOfTunnel(listener: ListenerConfig, { config, waysOut, said, key, faults }: TunnelContext): void {
  const { options, file = '' } = said;
  const placeOf = (name: 'to' | 'via'): Place =>
    options[name] === undefined ? faults.place(file, `${key}.${name}`) : faults.place(`--${name}`);
  if (listener.via !== undefined) complainUnlessOneOf(listener.via, waysOut, placeOf('via'));
  if (isTunnelLoop(listener, config)) {
    placeOf('to').complain('leads back to this listener: choose another port for the listener or the target');
  }
}

interface GroupContext {
  readonly isFirst: boolean;
  readonly file: string;
  readonly faults: FaultList;
}

function complainOfGroup(
  { name, of }: GroupConfig & { readonly name: string },
  upstreams: readonly NamedUpstream[],
  { isFirst, file, faults }: GroupContext,
): void {
  const members = upstreams.filter(({ kind }) => kind !== 'group').map((each) => each.name);
  for (const [index, member] of of.entries()) {
    const place = faults.place(file, `upstreams.${name}.of[${index}]`);
    if (upstreams.some((each) => each.kind === 'group' && each.name === member)) {
      place.complain('is a group, and groups are made of upstreams: name its members');
    } else complainUnlessOneOf(member, [...members, 'direct'], place);
    if (of.indexOf(member) !== index) place.complain('stands there twice');
    if (member === 'direct' && isFirst) {
      place.complain('direct would take what no rule fits: put another upstream first, and a rule for this group');
    }
  }
}

function complainUnlessOneOf(name: string, known: readonly string[], place: Place): void {
  if (known.includes(name)) return;
  const meant = nearest(name, known);
  const advice = meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`;
  place.complain(`names no upstream that can stand here; ${advice}`);
}
