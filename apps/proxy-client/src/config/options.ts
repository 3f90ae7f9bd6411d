import type { Target } from '../http/authority.js';
import type { FaultList } from './config-faults.js';
import { listenPort, mode } from './listener-setting.js';
import type { ListenerMode, UpstreamConfig } from './proxy-client-config.js';
import { target, upstreamSetting } from './upstream-setting.js';
import { digits, host, text, type ValueReader } from './value-reader.js';

/** The command-line options that set the configuration, as text. */
export interface CommandLineOptions {
  readonly config?: string;
  readonly mode?: string;
  readonly listen?: string;
  readonly upstream?: string;
  readonly to?: string;
  readonly via?: string;
}

/** The parsed options; those that were not given are absent. */
export interface OptionSettings {
  readonly mode?: ListenerMode;
  readonly listen?: { readonly host?: string; readonly port: number };
  readonly upstream?: UpstreamConfig;
  readonly to?: Target;
  readonly via?: string;
}

/** Parses `PORT`, `HOST:PORT` or `[::1]:PORT`. */
const listenPlace: ValueReader<NonNullable<OptionSettings['listen']>> = (value, place) => {
  const [, at, port] = /^(?:(.+):)?(\d{1,5})$/.exec(String(value)) ?? [];
  if (port === undefined || (at !== undefined && at.includes(':') && !at.startsWith('['))) {
    place.report('must be PORT, HOST:PORT or [IPV6]:PORT');
    return undefined;
  }
  const number = digits(listenPort)(port, place);
  const name = at === undefined ? undefined : host(at, place);
  return number === undefined ? undefined : { ...(name !== undefined && { host: name }), port: number };
};

const READERS = {
  mode,
  listen: listenPlace,
  upstream: upstreamSetting,
  to: target,
  via: text(64),
} as const satisfies Record<keyof OptionSettings, ValueReader<unknown>>;

/** Parses the options. Faults name the option, and never contain a value. */
export function readOptions(options: CommandLineOptions, faults: FaultList): OptionSettings {
  const settings: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(READERS)) {
    const value = options[name as keyof OptionSettings];
    const read = value === undefined ? undefined : reader(value, faults.place(`--${name}`));
    if (read !== undefined) settings[name] = read;
  }
  return settings;
}
