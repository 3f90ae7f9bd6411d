import { upstreamSetting } from './upstream-setting.js';
import {
  byteSize,
  duration,
  host,
  listOf,
  object,
  oneOf,
  onOff,
  wholeNumber,
  type Read,
  type ValueReader,
} from './value-reader.js';

export const mode = oneOf('http');
export const logLevel = oneOf('debug', 'info', 'warn', 'error');
/** 0 means any free port. */
export const listenPort = wholeNumber(0, 65_535);

const listen = object({ host, port: listenPort, allowedHosts: listOf(host) });
const adminGroup = object({ host, port: listenPort });

/** `off`, or where the admin listener listens. */
export const admin: ValueReader<'off' | NonNullable<ReturnType<typeof adminGroup>>> = (value, place) =>
  value === 'off' || value === false ? 'off' : adminGroup(value, place);

const MANY = 1_000_000;

const keys = {
  mode,
  logLevel,
  listen,
  upstream: upstreamSetting,
  timeouts: object({
    read: duration,
    write: duration,
    idle: duration,
    connect: duration,
    handshake: duration,
    response: duration,
    tunnelIdle: duration,
    drain: duration,
  }),
  limits: object({ headerBytes: byteSize(1024, 16_777_216), connections: wholeNumber(1, MANY) }),
  pool: object({ idle: duration, perTarget: wholeNumber(1, MANY), total: wholeNumber(1, MANY) }),
  via: onOff,
  admin,
} satisfies Record<string, ValueReader<unknown>>;

/** Every key that a configuration file may have. */
export const configFileShape = object(keys);

/** A configuration file that was read; what it does not say is absent. */
export type ConfigFile = Read<typeof keys>;
