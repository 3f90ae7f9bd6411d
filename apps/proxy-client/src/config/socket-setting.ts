import { dirname } from 'node:path';
import type { ConfigLocation } from './config-faults.js';
import { readTextFile } from './text-files.js';
import { defaultsOf, hasKey, key, object, refine, setting, titled, type ValueReader } from './setting.js';
import { text, valid } from './value-reader.js';

/** The file of a Unix socket. */
export interface SocketConfig {
  /** Absolute. */
  readonly path: string;
  /** The permissions; write permission is what allows a connection. */
  readonly mode: number;
  /** A user id; absent: the user of this process. */
  readonly owner?: number;
  /** A group id; absent: that of a file that this process creates. */
  readonly group?: number;
}

/** The limit of `sun_path` on Linux, without the final NUL; macOS has 103. */
const MAX_PATH = process.platform === 'linux' ? 107 : 103;
/** The socket is created in a temporary directory next to it, `/.XXXXXX/s`. */
const TEMPORARY_PATH = 10;

/** Reads the absolute path of a socket. */
const path: ValueReader<string> = refine(text(4096), (given, location) => {
  const located = location.references?.locate(given, location) ?? given;
  if (Math.max(Buffer.byteLength(located), Buffer.byteLength(dirname(located)) + TEMPORARY_PATH) <= MAX_PATH) {
    return located;
  }
  location.report(
    `is too long for a socket: at most ${MAX_PATH} bytes, ${MAX_PATH - TEMPORARY_PATH} for its directory`,
  );
  return undefined;
});

/** The largest id; chown(2) leaves the owner as it is for the number after it. */
const MAX_ID = 4_294_967_294;

/** Reads a user or group: its number, or its name in a file of the system (passwd(5), group(5)). */
function account(file: '/etc/passwd' | '/etc/group'): ValueReader<number> {
  const name = text(64);
  return setting({ anyOf: [name.json, { type: 'integer', minimum: 0, maximum: MAX_ID }] }, (value, location) => {
    if (typeof value === 'number') return numberOf(value, location);
    const given = name(value, location);
    return given === undefined ? undefined : idOf(given, file, location);
  });
}

function numberOf(value: number, location: ConfigLocation): number | undefined {
  if (Number.isInteger(value) && value >= 0 && value <= MAX_ID) return value;
  location.report(`must be a whole number from 0 to ${MAX_ID}, or a name`);
  return undefined;
}

function idOf(name: string, file: string, location: ConfigLocation): number | undefined {
  if (/^\d{1,9}$/.test(name)) return Number(name);
  const read = readTextFile(file);
  const entry = 'text' in read ? read.text.split('\n').find((line) => line.startsWith(`${name}:`)) : undefined;
  const id = entry?.split(':')[2];
  if (id === undefined) location.report(`is not in ${file}: use its number`);
  return id === undefined ? undefined : Number(id);
}

const octal = refine(
  // YAML 1.2 reads 0660 as the decimal number 660.
  valid(text(4), (mode) => /^0?[0-7]{3}$/.test(mode), "must be octal digits in quotes, such as '0660'"),
  (mode) => Number.parseInt(mode, 8),
);

const group = titled(
  'SocketOptions',
  'The file of a Unix socket.',
  object(
    {
      path: key(path, 'The path of the socket.'),
      mode: key(
        octal,
        'Its permissions, as octal digits in quotes; write permission is what allows a connection.',
        '0600',
      ),
      owner: key(account('/etc/passwd'), 'A user by name or number; absent: the user of the process.'),
      group: key(account('/etc/group'), 'A group by name or number; absent: that of the process.'),
    },
    'path',
  ),
);

/** Reads a path, or a group of keys with `path`. */
export const socket: ValueReader<SocketConfig> = setting({ anyOf: [path.json, group.json] }, (value, location) => {
  if (hasKey(value, 'path')) {
    const read = group(value, location);
    return read && { ...defaultsOf(group), ...read };
  }
  const read = path(value, location);
  return read === undefined ? undefined : { ...defaultsOf(group), path: read };
});
