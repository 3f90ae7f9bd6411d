import { isLoopbackAddress } from '../rules/own-places.js';
import { looksHashed, readPasswordHash } from '../users/password-hash.js';
import type { Place } from './config-faults.js';
import type { ListenerConfig, ListenerMode, UserConfig } from './proxy-client-config.js';
import { network } from './rule-setting.js';
import { target } from './upstream-setting.js';
import { host, listOf, object, oneOf, onOff, secret, text, wholeNumber, type ValueReader } from './value-reader.js';

export const mode = oneOf('http', 'socks5', 'mixed', 'tunnel');
/** 0 means any free port. */
export const listenPort = wholeNumber(0, 65_535);

export const DEFAULT_HOST = '127.0.0.1';
/** RFC 1929, section 2: the lengths of name and password are one byte each. */
const MAX_CREDENTIAL = 255;
// RFC 7617, section 2: a user-id contains no colon and no control characters.
const USER_NAME = /^[^:\p{Cc}]+$/u;

const userName: ValueReader<string> = (value, place) => {
  const given = text(MAX_CREDENTIAL)(value, place);
  if (given === undefined || USER_NAME.test(given)) return given;
  place.report('must be a user name without colons and control characters');
  return undefined;
};

const userGroup = object({ name: userName, password: secret(MAX_CREDENTIAL) });

const user: ValueReader<UserConfig> = (value, place) => {
  const read = userGroup(value, place);
  if (read === undefined) return undefined;
  reportMissing(value, ['name', 'password'], place);
  const { name, password } = read;
  if (password !== undefined && looksHashed(password) && readPasswordHash(password) === undefined) {
    place.child('password').report('starts like a hash but is malformed; create one with --hash-password');
  }
  return name === undefined || password === undefined ? undefined : { name, password };
};

const users: ValueReader<readonly UserConfig[]> = (value, place) => {
  const read = listOf(user)(value, place);
  if (read === undefined) return undefined;
  if (Array.isArray(value) && value.length === 0)
    place.report('is an empty list: omit it to require no authentication');
  const names = new Set(read.map(({ name }) => name.normalize('NFC')));
  if (names.size < read.length) place.report('contains a name twice');
  return read;
};

const clients: ValueReader<readonly string[]> = (value, place) => {
  if (Array.isArray(value) && value.length === 0) place.report('is an empty list: no client could connect');
  return listOf(network)(value, place);
};

/** The keys of a listener, alone or in a list. */
const listenerKeys = {
  host,
  port: listenPort,
  allowedHosts: listOf(host),
  users,
  clients,
  open: onOff,
  to: target,
  via: text(64),
  pac: onOff,
};

/** Reads `listen`, whose mode is a separate key. */
export const listenSetting = object(listenerKeys);

const listenerGroup = object({ mode, ...listenerKeys });

/** Reads an entry of `listeners`. */
export const listenerSetting: ValueReader<ListenerConfig> = (value, place) => {
  const read = listenerGroup(value, place);
  if (read === undefined) return undefined;
  reportMissing(value, ['port'], place);
  const { mode: speaks = 'http', host: at = DEFAULT_HOST, port, allowedHosts = [], ...others } = read;
  if (port === undefined) return undefined;
  const listener: ListenerConfig = { mode: speaks, host: at, port, allowedHosts, ...others };
  reportMode(listener, (key) => place.child(key));
  if (isOpenToAll(listener) && listener.open !== true) {
    place
      .child('host')
      .report(
        'is not a loopback address: anyone who can reach it could use the proxy; configure users or clients, or set open: true',
      );
  }
  return listener;
};

/** Returns whether a listener is reachable from other machines and has no restrictions. */
export function isOpenToAll({ host: at, users: known, clients: from }: ListenerConfig): boolean {
  return !isLoopbackAddress(at) && known === undefined && from === undefined;
}

const TUNNEL_KEYS = ['to', 'via'] as const;
/** The keys that have no effect in a mode. */
const USELESS: Readonly<Record<ListenerMode, readonly (keyof ListenerConfig)[]>> = {
  http: TUNNEL_KEYS,
  mixed: TUNNEL_KEYS,
  socks5: [...TUNNEL_KEYS, 'pac'],
  tunnel: ['users', 'pac'],
};

/**
 * Reports what the mode of a listener has no use for, and of what it needs.
 *
 * @param placeOf - returns the place of one of its keys in the configuration
 */
export function reportMode(listener: ListenerConfig, placeOf: (key: keyof ListenerConfig) => Place): void {
  for (const key of USELESS[listener.mode]) {
    if (listener[key] !== undefined) placeOf(key).report(`has no effect in mode ${listener.mode}`);
  }
  if (listener.mode !== 'tunnel') return;
  for (const key of TUNNEL_KEYS) {
    if (listener[key] === undefined)
      placeOf(key).report('is missing: a tunnel needs a target (to) and an upstream (via)');
  }
}

function reportMissing(value: unknown, keys: readonly string[], place: Place): void {
  for (const key of keys) if (!(value as ReadonlyMap<unknown, unknown>).has(key)) place.child(key).report('is missing');
}
