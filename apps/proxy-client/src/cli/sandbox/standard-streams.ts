import { fstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { isatty } from 'node:tty';

/** The standard streams by their descriptors. */
const STREAMS = ['Standard input', 'Standard output', 'Standard error'] as const;

/** The major number of the devices of memory, and the minor numbers of null, zero, full, random and urandom. */
const MEMORY_DEVICES = 1;
const HARMLESS: readonly number[] = [3, 5, 7, 8, 9];

/** Types and states of sockets in /proc/net/unix. */
const DATAGRAMS = '0002';
const CONNECTED = '03';

/**
 * Returns why a command must not inherit one of the standard streams. Network namespace and mounts of the sandbox do not apply to open
 * descriptors: a socket still sends, and paths can be opened relative to a directory.
 */
export function streamProblem(): string | undefined {
  for (const [descriptor, name] of STREAMS.entries()) {
    const kind = refusedKind(descriptor);
    if (kind !== undefined) {
      return `${name} is ${kind}, by which the command could leave the sandbox. Use a file or a pipe: … | proxy-client run -- COMMAND | …`;
    }
  }
  return undefined;
}

/** Returns the kind of a descriptor, unless it is a file, a pipe, a terminal, a harmless device, or a connection to another program. */
function refusedKind(descriptor: number): string | undefined {
  try {
    const stats = fstatSync(descriptor);
    if (stats.isFIFO() || isatty(descriptor)) return undefined;
    const link = readlinkSync(`/proc/self/fd/${descriptor}`);
    // Namespaces are regular files without a path.
    if (stats.isFile()) return link.startsWith('/') ? undefined : 'a namespace';
    if (!stats.isSocket()) return refusedFile(stats);
    const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
    return refusedSocket(inode, {
      listed: readFileSync('/proc/self/net/unix', 'utf8'),
      info: readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'),
    });
  } catch {
    // The stream is closed.
    return undefined;
  }
}

function refusedFile(stats: Stats): string | undefined {
  if (stats.isDirectory()) return 'a directory';
  if (!stats.isCharacterDevice()) return 'neither a file nor a pipe';
  const { major, minor } = deviceOf(stats.rdev);
  return major === MEMORY_DEVICES && HARMLESS.includes(minor) ? undefined : 'a device';
}

/** Splits the number of a device as `gnu_dev_major` and `gnu_dev_minor` do; larger numbers are none of {@link HARMLESS}. */
function deviceOf(device: number): { readonly major: number; readonly minor: number } {
  return { major: Math.floor(device / 256), minor: device % 256 };
}

/** Files of /proc that describe a socket. */
interface SocketFiles {
  /** /proc/net/unix: the Unix sockets of the network namespace. */
  readonly listed: string;
  /** Of the descriptor, in fdinfo. */
  readonly info: string;
}

/**
 * Returns the kind of a socket, unless it is a connected Unix socket, such as that of the journal or of a parent that is a Node program. One
 * that is not connected, or sends datagrams, reaches other sockets of this machine.
 *
 * @param inode - of the socket
 */
export function refusedSocket(inode: string | undefined, { listed, info }: SocketFiles): string | undefined {
  // Num RefCount Protocol Flags Type St Inode Path
  const [, , , , type, state] =
    listed
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .find((columns) => columns[6] === inode) ?? [];
  // In a sandbox inside a sandbox the socket belongs to the network namespace outside. Only Unix sockets have this field.
  if (type === undefined) return /^scm_fds:/m.test(info) ? undefined : 'a network socket';
  return type === DATAGRAMS || state !== CONNECTED ? 'a Unix socket for datagrams or without a connection' : undefined;
}
