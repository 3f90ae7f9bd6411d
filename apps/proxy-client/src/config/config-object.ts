import { resolve } from 'node:path';
import { ConfigError, FaultList, type ConfigLocation } from './config-faults.js';
import { isOpenToAll, OPEN_TO_ALL } from './listener-setting.js';
import { requireHandshakes } from './handshakes.js';
import { makeConfig } from './make-config.js';
import { Overrides } from './overrides.js';
import { configFileShape, type ProxyClientConfig } from './proxy-client-config.js';
import { FileReferences } from './references.js';
import { inTurns, makeRules } from './rule-setting.js';
import { upstreamSetting } from './upstream-setting.js';

/** Groups of keys are nested less deeply; the limit ends an object that contains itself. */
const MAX_DEPTH = 8;
/** Keys that only the program has. */
const OF_PROGRAM = ['admin', 'log'] as const;

/** The result of {@link upstreamSetting}. */
export type SingleUpstream = NonNullable<ReturnType<typeof upstreamSetting>>;

/**
 * Reads a configuration from an object with the keys of the configuration file. Text is literal: `${NAME}` is not replaced. Files are
 * relative to the working directory. Two defaults differ from the program: any free port, and no admin listener.
 *
 * @param source - what faults name instead of a file
 * @throws {@link ConfigError} with all faults; it never contains a value
 */
export async function readConfigObject(config: unknown, source: string): Promise<ProxyClientConfig> {
  const faults = new FaultList();
  const location = locationOf(source, faults);
  const settings = configFileShape(asGroups(config), location) ?? {};
  for (const key of OF_PROGRAM) {
    if (settings[key] !== undefined && settings[key] !== 'off') location.child(key).report(NOT_IN_LIBRARY);
  }
  const rules = await inTurns(makeRules(settings.rules));
  const sources = {
    overrides: new Overrides({}, {}, faults),
    settings: { ...settings, admin: 'off' as const },
    file: source,
    defaultPort: 0,
  };
  const made = makeConfig(sources, rules, faults);
  if (settings.listeners === undefined && made.listeners.some((each) => isOpenToAll(each) && each.open !== true)) {
    location.child('listen.host').report(OPEN_TO_ALL);
  }
  if (faults.faults.length > 0) throw new ConfigError(faults.faults);
  await requireHandshakes(made);
  return made;
}

const NOT_IN_LIBRARY = 'belongs to the program proxy-client, and is not available in the library';

/**
 * Reads one upstream in the form of the key `upstream`.
 *
 * @throws {@link ConfigError}; it never contains a value
 */
export function readUpstreamObject(upstream: unknown, source: string): SingleUpstream {
  const faults = new FaultList();
  const read = upstreamSetting(asGroups(upstream), locationOf(source, faults));
  if (read === undefined || faults.faults.length > 0) throw new ConfigError(faults.faults);
  return read;
}

function locationOf(source: string, faults: FaultList): ConfigLocation {
  return faults.at(source, '', new FileReferences(resolve(source), undefined));
}

/** Converts objects to the groups of keys that the readers expect. Keys whose value is undefined are omitted. */
function asGroups(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((each) => asGroups(each, depth + 1));
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return new Map(entries.map(([key, each]) => [key, asGroups(each, depth + 1)]));
}
