import type { Target } from '../http/authority.js';
import type { FaultList } from './config-faults.js';
import { listenPort, mode } from './listener-setting.js';
import type { ListenerMode, UpstreamConfig } from './proxy-client-config.js';
import { target, upstreamSetting } from './upstream-setting.js';
import { digits, host, text, type ValueReader } from './value-reader.js';

/** The options of the command line that the configuration is made of, as they were written. */
export interface CommandLineOptions {
  readonly config?: string;
  readonly mode?: string;
  readonly listen?: string;
  readonly upstream?: string;
  readonly to?: string;
  readonly via?: string;
}

/** What the options say; the rest is absent. */
export interface OptionSettings {
  readonly mode?: ListenerMode;
  readonly listen?: { readonly host?: string; readonly port: number };
  readonly upstream?: UpstreamConfig;
  readonly to?: Target;
  readonly via?: string;
}

/** Reads `PORT`, `HOST:PORT` or `[::1]:PORT`. */
const listenPlace: ValueReader<NonNullable<OptionSettings['listen']>> = (value, place) => {
  const [, at, port] = /^(?:(.+):)?(\d{1,5})$/.exec(String(value)) ?? [];
  if (port === undefined || (at !== undefined && at.includes(':') && !at.startsWith('['))) {
    place.complain('must be PORT, HOST:PORT or [IPV6]:PORT');
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

/** Reads the options. Faults are reported under the option's name, and never show a value. */
export function readOptions(options: CommandLineOptions, faults: FaultList): OptionSettings {
  const settings: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(READERS)) {
    const value = options[name as keyof OptionSettings];
    const read = value === undefined ? undefined : reader(value, faults.place(`--${name}`));
    if (read !== undefined) settings[name] = read;
  }
  return settings;
}
