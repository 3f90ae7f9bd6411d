import { isLoopbackAddress } from '../routing/rules/own-addresses.js';
import { looksHashed, readPasswordHash } from '../users/password-hash.js';
import { certificateOf, type CertificateConfig } from './certificate-setting.js';
import type { ConfigLocation } from './config-faults.js';
import { certificateFile, keyFile } from './pem-files.js';
import { network } from './rule-setting.js';
import { socket } from './socket-setting.js';
import { target } from './value-reader.js';
import { defaultsOf, hasKey, key, listOf, object, type ReadKeys, refine, titled, type ValueReader } from './setting.js';
import { host, oneOf, onOff, secret, text, valid, wholeNumber } from './value-reader.js';

/**
 * The protocol of a listener: HTTP (plain requests and CONNECT), SOCKS5, both (detected by the first byte), or a tunnel, which
 * connects each client to one target.
 */
export const MODES = ['http', 'socks5', 'mixed', 'tunnel'] as const;
export type ListenerMode = (typeof MODES)[number];
export const mode = titled('ListenerMode', 'The protocol of a listener.', oneOf(...MODES));

/** 0 means any free port. */
export const listenPort = wholeNumber(0, 65_535);

/** RFC 1929, section 2: the lengths of name and password are one byte each. */
const MAX_CREDENTIAL = 255;

const userGroup = titled(
  'UserOptions',
  'A user of a listener.',
  object(
    {
      name: key(
        valid(
          text(MAX_CREDENTIAL),
          // RFC 7617, section 2: a user-id contains no colon and no control characters.
          (name) => /^[^:\p{Cc}]+$/u.test(name),
          'must be a user name without colons and control characters',
        ),
        'Without colons and control characters.',
      ),
      password: key(secret(MAX_CREDENTIAL), 'The password, or its hash from --hash-password (scrypt:…).'),
    },
    'name',
    'password',
  ),
);

/** A user of a listener. */
export type UserConfig = NonNullable<ReturnType<typeof userGroup>>;

const user: ValueReader<UserConfig> = refine(userGroup, (read, location) => {
  if (looksHashed(read.password) && readPasswordHash(read.password) === undefined) {
    location.child('password').report('starts like a hash but is malformed; create one with --hash-password');
  }
  return read;
});

const users = refine(listOf(user, 'omit it to require no authentication'), (read, location) => {
  const names = new Set(read.map(({ name }) => name.normalize('NFC')));
  if (names.size < read.length) location.report('contains a name twice');
  return read;
});

/** The keys of a listener, alone or in a list. */
export const listenerKeys = {
  host: key(
    host,
    'The address to listen on. Beyond loopback anyone who can reach it may connect, unless users or clients are set.',
    '127.0.0.1',
  ),
  port: key(listenPort, 'The port to listen on; 0: any free one.'),
  allowedHosts: key(
    listOf(host),
    'Host names under which /stats and /health are served, in addition to IP addresses and localhost.',
    [],
  ),
  users: key(users, 'The users who may connect; absent: no authentication is required.'),
  clients: key(
    listOf(network, 'no client could connect'),
    'The networks (address/length) whose clients may connect; absent: all.',
  ),
  open: key(onOff, 'on: the listener is intentionally open to everyone who can reach it.', 'off'),
  to: key(target, 'In mode tunnel: the target, host:port.'),
  via: key(text(64), 'In mode tunnel: the upstream, by name.'),
  pac: key(onOff, 'on: /proxy.pac is served to everyone who can reach the listener.', 'off'),
  socket: key(socket, 'A Unix socket instead of host and port: its path, or a group of keys.'),
  systemd: key(text(255), 'Sockets that systemd passes, by their FileDescriptorName=, instead of host and port.'),
  certificate: key(
    certificateFile,
    'With key: clients may use TLS. A PEM file with the certificate and the intermediate ones.',
  ),
  key: key(keyFile, 'The PEM file with the private key of the certificate.'),
  tlsOnly: key(onOff, 'on: clients without TLS are refused.', 'off'),
};

type ListenerKeys = ReadKeys<typeof listenerKeys>;

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

export const listenGroup = titled(
  'ListenOptions',
  'The only listener.',
  object({ ...listenerKeys, port: key(listenPort, 'The port to listen on; 0: any free one.', 8080) }),
);
/** The defaults of the only listener. */
export const LISTEN_DEFAULTS = defaultsOf(listenGroup);

const listenerGroup = titled(
  'ListenerOptions',
  'One of several listeners.',
  object({ mode: key(mode, 'Its protocol.', 'http'), ...listenerKeys }),
);
const { host: defaultHost, mode: defaultMode, allowedHosts } = defaultsOf(listenerGroup);

/** Reads `listen`, whose mode is a separate key. */
export const listenSetting: ValueReader<ListenSettings> = refine(listenGroup, (read, location, value) =>
  withCertificate(read, value, location),
);

/** Reads an entry of `listeners`. */
export const listenerSetting: ValueReader<ListenerConfig> = refine(listenerGroup, (read, location, value) => {
  if (!ADDRESSES.some((key) => hasKey(value, key))) location.child('port').report('is missing');
  const others = withCertificate(read, value, location);
  const listener: ListenerConfig = { mode: defaultMode, host: defaultHost, port: 0, allowedHosts, ...others };
  reportMode(listener, (key) => location.child(key));
  if (isOpenToAll(listener) && listener.open !== true) {
    location.child('host').report(OPEN_TO_ALL);
  }
  return listener;
});

const ADDRESSES = ['port', 'socket', 'systemd'] as const;

/** Reports keys of the address that do not belong together. */
function reportAddress({ socket: unix, pac }: ListenerKeys, value: unknown, location: ConfigLocation): void {
  const [first, second] = ADDRESSES.filter((key) => hasKey(value, key));
  if (second !== undefined) location.child(second).report(`cannot be combined with ${String(first)}`);
  if (hasKey(value, 'host') && first !== undefined && first !== 'port') {
    location.child('host').report(`has no effect with ${first}`);
  }
  if (unix !== undefined && pac === true) {
    location.child('pac').report('has no effect with socket: a PAC file names a host and a port');
  }
}

const CERTIFICATE_KEYS = ['certificate', 'key'] as const;

/** Combines the keys of the certificate. */
function withCertificate(read: ListenerKeys, value: unknown, location: ConfigLocation): ListenSettings {
  reportAddress(read, value, location);
  const { certificate, key, ...others } = read;
  if ([...CERTIFICATE_KEYS, 'tlsOnly'].some((name) => hasKey(value, name))) {
    for (const name of CERTIFICATE_KEYS) {
      if (!hasKey(value, name)) location.child(name).report('is missing: certificate and key are required together');
    }
  }
  if (certificate === undefined || key === undefined) return others;
  const tls = certificateOf({ certificate, key }, location);
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
 * @param locationOf - returns the location of one of its keys in the configuration
 */
export function reportMode(listener: ListenerConfig, locationOf: (key: keyof ListenerConfig) => ConfigLocation): void {
  for (const key of USELESS[listener.mode]) {
    if (listener[key] !== undefined) locationOf(key).report(`has no effect in mode ${listener.mode}`);
  }
  for (const key of listener.mode === 'tunnel' ? TUNNEL_KEYS : []) {
    if (listener[key] === undefined)
      locationOf(key).report('is missing: a tunnel needs a target (to) and an upstream (via)');
  }
}
