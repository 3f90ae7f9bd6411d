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
/** RFC 1929 section 2 gives name and password one byte of length each. */
const MAX_CREDENTIAL = 255;
// RFC 7617, section 2: a user-id holds no colon, and neither has control characters.
const USER_NAME = /^[^:\p{Cc}]+$/u;

const userName: ValueReader<string> = (value, place) => {
  const given = text(MAX_CREDENTIAL)(value, place);
  if (given === undefined || USER_NAME.test(given)) return given;
  place.complain('must be a user name without colons and control characters');
  return undefined;
};

const userGroup = object({ name: userName, password: secret(MAX_CREDENTIAL) });

const user: ValueReader<UserConfig> = (value, place) => {
  const read = userGroup(value, place);
  if (read === undefined) return undefined;
  complainOfMissing(value, ['name', 'password'], place);
  const { name, password } = read;
  if (password !== undefined && looksHashed(password) && readPasswordHash(password) === undefined) {
    place.child('password').complain('begins as a hash and is none; make one with --hash-password');
  }
  return name === undefined || password === undefined ? undefined : { name, password };
};

const users: ValueReader<readonly UserConfig[]> = (value, place) => {
  const read = listOf(user)(value, place);
  if (read === undefined) return undefined;
  if (Array.isArray(value) && value.length === 0) place.complain('is an empty list: leave it out to ask nobody');
  const names = new Set(read.map(({ name }) => name.normalize('NFC')));
  if (names.size < read.length) place.complain('has a name twice');
  return read;
};

const clients: ValueReader<readonly string[]> = (value, place) => {
  if (Array.isArray(value) && value.length === 0) place.complain('is an empty list: nobody could connect');
  return listOf(network)(value, place);
};

/** What a listener may say, whether it stands by itself or in a list. */
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

/** Reads `listen`, whose mode stands beside it. */
export const listenSetting = object(listenerKeys);

const listenerGroup = object({ mode, ...listenerKeys });

/** Reads an entry of `listeners`. */
export const listenerSetting: ValueReader<ListenerConfig> = (value, place) => {
  const read = listenerGroup(value, place);
  if (read === undefined) return undefined;
  complainOfMissing(value, ['port'], place);
  const { mode: speaks = 'http', host: at = DEFAULT_HOST, port, allowedHosts = [], ...others } = read;
  if (port === undefined) return undefined;
  const listener: ListenerConfig = { mode: speaks, host: at, port, allowedHosts, ...others };
  complainOfMode(listener, (key) => place.child(key));
  if (isOpenToAll(listener) && listener.open !== true) {
    place
      .child('host')
      .complain(
        'is no loopback address: whoever reaches it could use the proxy; name users or clients, or say open: true',
      );
  }
  return listener;
};

/** Whether everybody who reaches a listener may use it, and others than this machine's programs may reach it. */
export function isOpenToAll({ host: at, users: known, clients: from }: ListenerConfig): boolean {
  return !isLoopbackAddress(at) && known === undefined && from === undefined;
}

const TUNNEL_KEYS = ['to', 'via'] as const;
/** What each mode has no use for. */
const USELESS: Readonly<Record<ListenerMode, readonly (keyof ListenerConfig)[]>> = {
  http: TUNNEL_KEYS,
  mixed: TUNNEL_KEYS,
  socks5: [...TUNNEL_KEYS, 'pac'],
  tunnel: ['users', 'pac'],
};

/**
 * Complains of what the mode of a listener has no use for, and of what it needs.
 *
 * @param placeOf - where a key of it stands, or would stand
 */
export function complainOfMode(listener: ListenerConfig, placeOf: (key: keyof ListenerConfig) => Place): void {
  for (const key of USELESS[listener.mode]) {
    if (listener[key] !== undefined) placeOf(key).complain(`means nothing in mode ${listener.mode}`);
  }
  if (listener.mode !== 'tunnel') return;
  for (const key of TUNNEL_KEYS) {
    if (listener[key] === undefined)
      placeOf(key).complain('is missing: a tunnel needs where it leads to, and via which upstream');
  }
}

function complainOfMissing(value: unknown, keys: readonly string[], place: Place): void {
  for (const key of keys)
    if (!(value as ReadonlyMap<unknown, unknown>).has(key)) place.child(key).complain('is missing');
}
