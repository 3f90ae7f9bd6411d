import type { Place } from './config-faults.js';
import type { Socks5UpstreamConfig, UpstreamConfig } from './proxy-client-config.js';
import { host as hostName, object, oneOf, text, wholeNumber, type ValueReader } from './value-reader.js';

/** RFC 1929 section 2 gives the length of each one byte. */
const credential = text(255);
const portNumber = wholeNumber(1, 65_535);

const group = object({
  host: hostName,
  port: portNumber,
  username: credential,
  password: credential,
  handshake: oneOf('auto', 'stepwise', 'oneflight'),
  warm: wholeNumber(0, 1000),
});

/** userinfo up to the last @, then host and port; as curl reads it. */
const URL_FORM =
  /^socks5h?:\/\/(?:(?<user>[^:@/]*):(?<password>.*)@)?(?<host>\[[^\]@/]+\]|[^:@/[\]]+):(?<port>\d{1,9})\/?$/i;

/**
 * Reads the upstream: `embedded`, `socks5://user:password@host:port` (`socks5h://` means the same: names always go to
 * the upstream as names), or a group of keys in which host and port must be there.
 */
export const upstreamSetting: ValueReader<UpstreamConfig> = (value, place) => {
  if (value === 'embedded') return { kind: 'embedded' };
  return typeof value === 'string' ? fromUrl(value, place) : fromGroup(value, place);
};

/** Complains without the URL: it may hold a password. */
function fromUrl(value: string, place: Place): UpstreamConfig | undefined {
  const parts = URL_FORM.exec(value)?.groups;
  if (parts === undefined) {
    place.complain('must be embedded or socks5://host:port or socks5://username:password@host:port');
    return undefined;
  }
  const username = decode(parts['user']);
  const password = decode(parts['password']);
  if (username === null || password === null) {
    place.complain('username and password must be percent-encoded where they hold a % sign (%25)');
    return undefined;
  }
  const fields = new Map<string, unknown>([
    ['host', parts['host']],
    ['port', Number(parts['port'])],
  ]);
  if (username !== undefined) fields.set('username', username).set('password', password);
  return fromGroup(fields, place);
}

function decode(part: string | undefined): string | undefined | null {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return null;
  }
}

function fromGroup(value: unknown, place: Place): Socks5UpstreamConfig | undefined {
  const fields = group(value, place);
  if (fields === undefined) return undefined;
  complainOfMissing(value as ReadonlyMap<unknown, unknown>, place);
  const { host, port, username, password, handshake = 'auto', warm = 0 } = fields;
  if (host === undefined || port === undefined) return undefined;
  const credentials = username !== undefined && password !== undefined && { credentials: { username, password } };
  return { kind: 'socks5', host, port, ...credentials, handshake, warm };
}

function complainOfMissing(fields: ReadonlyMap<unknown, unknown>, place: Place): void {
  for (const required of ['host', 'port']) if (!fields.has(required)) place.child(required).complain('is missing');
  if (fields.has('username') === fields.has('password')) return;
  const missing = fields.has('username') ? 'password' : 'username';
  place.child(missing).complain('is missing: username and password go together');
}
