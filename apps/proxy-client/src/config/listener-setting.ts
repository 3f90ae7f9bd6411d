import { isLoopbackAddress } from '../routing/rules/own-places.js';
import { looksHashed, readPasswordHash } from '../users/password-hash.js';
import { certificateOf, type CertificateConfig } from './certificate-setting.js';
import type { Place } from './config-faults.js';
import { certificateFile, keyFile } from './pem-files.js';
import { network } from './rule-setting.js';
import { socket } from './socket-setting.js';
import { target } from './upstream-setting.js';
import {
  hasKey,
  host,
  listOf,
  object,
  oneOf,
  onOff,
  type Read,
  secret,
  text,
  valid,
  type ValueReader,
  wholeNumber,
} from './value-reader.js';

/**
 * The protocol of a listener: HTTP (plain requests and CONNECT), SOCKS5, both (detected by the first byte), or a tunnel, which
 * connects each client to one target.
 */
export const MODES = ['http', 'socks5', 'mixed', 'tunnel'] as const;
export type ListenerMode = (typeof MODES)[number];
export const mode = oneOf(...MODES);

/** 0 means any free port. */
export const listenPort = wholeNumber(0, 65_535);
export const DEFAULT_HOST = '127.0.0.1';

/** RFC 1929, section 2: the lengths of name and password are one byte each. */
const MAX_CREDENTIAL = 255;

const userGroup = object(
  {
    name: valid(
      text(MAX_CREDENTIAL),
      // RFC 7617, section 2: a user-id contains no colon and no control characters.
      (name) => /^[^:\p{Cc}]+$/u.test(name),
      'must be a user name without colons and control characters',
    ),
    /** The password, or its hash from --hash-password: `scrypt:…`. */
    password: secret(MAX_CREDENTIAL),
  },
  'name',
  'password',
);

/** A user of a listener. */
export type UserConfig = NonNullable<ReturnType<typeof userGroup>>;

const user: typeof userGroup = (value, place) => {
  const read = userGroup(value, place);
  if (read !== undefined && looksHashed(read.password) && readPasswordHash(read.password) === undefined) {
    place.child('password').report('starts like a hash but is malformed; create one with --hash-password');
  }
  return read;
};

const users: ValueReader<readonly UserConfig[]> = (value, place) => {
  const read = listOf(user, 'omit it to require no authentication')(value, place);
  const names = new Set(read?.map(({ name }) => name.normalize('NFC')));
  if (read !== undefined && names.size < read.length) place.report('contains a name twice');
  return read;
};

/** The keys of a listener, alone or in a list. */
export const listenerKeys = {
  host,
  port: listenPort,
  /** Host names, in addition to IP literals and localhost, for which /stats and /health answer. */
  allowedHosts: listOf(host),
  /** The users who may connect; absent: no authentication is required. */
  users,
  /** The networks (`address/length`) whose clients may connect; absent: all. */
  clients: listOf(network, 'no client could connect'),
  /** The listener is intentionally open to everyone who can reach it. */
  open: onOff,
  /** The target of a tunnel. */
  to: target,
  /** The upstream of a tunnel, by name. */
  via: text(64),
  /** Whether it serves /proxy.pac, to everyone who can reach it. */
  pac: onOff,
  /** A Unix socket, instead of host and port. */
  socket,
  /** The name of sockets that systemd passes (`FileDescriptorName=`), instead of host and port. */
  systemd: text(255),
  /** The files of a certificate, with intermediate ones, and of its key, both in PEM: clients may use TLS. */
  certificate: certificateFile,
  key: keyFile,
  /** Whether clients must use TLS. */
  tlsOnly: onOff,
};

type ListenerKeys = Read<typeof listenerKeys>;

/** The settings of a listener, without defaults. */
interface ListenSettings extends Omit<ListenerKeys, 'certificate' | 'key'> {
  /** Absent: no TLS. */
  readonly tls?: CertificateConfig;
}

/** The settings of a listener, with their defaults. */
export interface ListenerConfig extends ListenSettings {
  readonly mode: ListenerMode;
  /** Without effect if it has a socket, or those of systemd, instead; as {@link port}. */
  readonly host: string;
  readonly port: number;
  readonly allowedHosts: readonly string[];
  /** The settings that determine its address, for error messages. */
  readonly setBy?: string;
}

const listenGroup = object(listenerKeys);
const listenerGroup = object({ mode, ...listenerKeys });

/** Reads `listen`, whose mode is a separate key. */
export const listenSetting: ValueReader<ListenSettings> = (value, place) => {
  const read = listenGroup(value, place);
  return read && withCertificate(read, value, place);
};

/** Reads an entry of `listeners`. */
export const listenerSetting: ValueReader<ListenerConfig> = (value, place) => {
  const read = listenerGroup(value, place);
  if (read === undefined) return undefined;
  if (!ADDRESSES.some((key) => hasKey(value, key))) place.child('port').report('is missing');
  const others = withCertificate(read, value, place);
  const listener: ListenerConfig = { mode: 'http', host: DEFAULT_HOST, port: 0, allowedHosts: [], ...others };
  reportMode(listener, (key) => place.child(key));
  if (isOpenToAll(listener) && listener.open !== true) {
    place.child('host').report(OPEN_TO_ALL);
  }
  return listener;
};

const ADDRESSES = ['port', 'socket', 'systemd'] as const;

/** Reports keys of the address that do not belong together. */
function reportAddress({ socket: unix, pac }: ListenerKeys, value: unknown, place: Place): void {
  const [first, second] = ADDRESSES.filter((key) => hasKey(value, key));
  if (second !== undefined) place.child(second).report(`cannot be combined with ${String(first)}`);
  if (hasKey(value, 'host') && first !== undefined && first !== 'port') {
    place.child('host').report(`has no effect with ${first}`);
  }
  if (unix !== undefined && pac === true) {
    place.child('pac').report('has no effect with socket: a PAC file names a host and a port');
  }
}

const CERTIFICATE_KEYS = ['certificate', 'key'] as const;

/** Combines the keys of the certificate. */
function withCertificate(read: ListenerKeys, value: unknown, place: Place): ListenSettings {
  reportAddress(read, value, place);
  const { certificate, key, ...others } = read;
  if ([...CERTIFICATE_KEYS, 'tlsOnly'].some((name) => hasKey(value, name))) {
    for (const name of CERTIFICATE_KEYS) {
      if (!hasKey(value, name)) place.child(name).report('is missing: certificate and key are required together');
    }
  }
  if (certificate === undefined || key === undefined) return others;
  const tls = certificateOf({ certificate, key }, place);
  return { ...others, ...(tls && { tls }) };
}

/** The fault of a listener that {@link isOpenToAll}. */
export const OPEN_TO_ALL =
  'is not a loopback address: anyone who can reach it could use the proxy; configure users or clients, or set open: true';

/** Returns whether a listener is reachable from other machines and has no restrictions. */
export function isOpenToAll({ host: at, users: known, clients: from }: ListenerConfig): boolean {
  return !isLoopbackAddress(at) && known === undefined && from === undefined;
}

/**
 * Returns whether a listener refuses clients without TLS. One in mode tunnel with a certificate does: the first byte of what it
 * forwards does not identify the client.
 */
export function requiresTls({ tls, tlsOnly, mode: speaks }: ListenerConfig): boolean {
  return tls !== undefined && (tlsOnly === true || speaks === 'tunnel');
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
 * Reports keys that have no effect in the mode of a listener, and those that a tunnel lacks.
 *
 * @param placeOf - returns the place of one of its keys in the configuration
 */
export function reportMode(listener: ListenerConfig, placeOf: (key: keyof ListenerConfig) => Place): void {
  for (const key of USELESS[listener.mode]) {
    if (listener[key] !== undefined) placeOf(key).report(`has no effect in mode ${listener.mode}`);
  }
  for (const key of listener.mode === 'tunnel' ? TUNNEL_KEYS : []) {
    if (listener[key] === undefined)
      placeOf(key).report('is missing: a tunnel needs a target (to) and an upstream (via)');
  }
}
