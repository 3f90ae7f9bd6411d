import { spawnSync } from 'node:child_process';
import { fstatSync, readFileSync, readlinkSync, realpathSync, statSync, type Stats } from 'node:fs';
import { isatty } from 'node:tty';
import { isBelow } from './protected-paths.js';

/** The standard streams by their descriptors. */
const STREAMS = ['Standard input', 'Standard output', 'Standard error'] as const;

/** The major number of the devices of memory, and the minor numbers of null, zero, full, random and urandom. */
const MEMORY_DEVICES = 1;
const HARMLESS: readonly number[] = [3, 5, 7, 8, 9];

/** Types and states of sockets in /proc/net/unix. */
const STREAM = '0001';
const CONNECTED = '03';

/** The program of the journal, which treats everything that services write to it as log lines. */
const JOURNAL = /^\/run\/systemd\/journal(?:\.[^/]+)?\/stdout$/;

/** The files that decide what the command reaches. */
export interface GateFiles {
  readonly files: Iterable<string>;
  /** Everything below them belongs to the gate, too. */
  readonly directories: readonly string[];
}

/**
 * Returns why a command must not inherit one of the standard streams. Network namespace and mounts of the sandbox do not apply to open
 * descriptors: a socket still sends, paths can be opened relative to a directory, and a file can be opened again for writing by its
 * name in /proc/self/fd.
 */
export function streamProblem(gate: GateFiles): string | undefined {
  const sockets: number[] = [];
  for (const [descriptor, name] of STREAMS.entries()) {
    const kind = kindOf(descriptor, gate);
    if (kind === 'gate') {
      return `${name} is a file of the gate (its configuration, lists, tokens or log), which the command must neither read nor change.`;
    }
    if (kind === 'socket') sockets.push(descriptor);
    else if (kind !== undefined) return leak(descriptor, kind);
  }
  for (const [descriptor, end] of remoteEnds(sockets)) {
    const kind = refusedEnd(end);
    if (kind !== undefined) return leak(descriptor, kind);
  }
  return undefined;
}

function leak(descriptor: number, kind: string): string {
  const name = STREAMS[descriptor] ?? '';
  return `${name} is ${kind}, by which the command could leave the sandbox. Use a file or a pipe: … | proxy-client run -- COMMAND | …`;
}

/**
 * Returns the kind of a descriptor, unless it is a pipe, a terminal, a harmless device or a file of no importance. `gate`: a file of the
 * gate; `socket`: a connected Unix socket, whose other end decides.
 */
function kindOf(descriptor: number, gate: GateFiles): string | undefined {
  const stats = statsOf(descriptor);
  if (stats === undefined || stats.isFIFO() || isatty(descriptor)) return undefined;
  const link = linkOf(descriptor);
  // Namespaces are regular files without a path.
  if (stats.isFile() && !link.startsWith('/')) return 'a namespace';
  if (stats.isFile()) return isOfGate(stats, link, gate) ? 'gate' : undefined;
  return stats.isSocket() ? kindOfSocket(descriptor, link) : refusedFile(stats);
}

function kindOfSocket(descriptor: number, link: string): string {
  const files = { listed: textOf('/proc/self/net/unix'), info: textOf(`/proc/self/fdinfo/${descriptor}`) };
  return refusedSocket(/^socket:\[(\d+)\]$/.exec(link)?.[1], files) ?? 'socket';
}

/** Returns the state of an open descriptor; undefined if it is closed. */
function statsOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined;
  }
}

function linkOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Returns whether an open file is one of the gate's, by whichever of its names it was opened. */
function isOfGate({ dev, ino }: Stats, path: string, { files, directories }: GateFiles): boolean {
  const isSame = (file: string): boolean => {
    try {
      const other = statSync(file);
      return other.dev === dev && other.ino === ino;
    } catch {
      return false;
    }
  };
  return [...files].some(isSame) || directories.some((directory) => isBelow(path, realOf(directory)));
}

function realOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
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
 * Returns the kind of a socket, unless it is a connected Unix socket for a stream, such as that of the journal or of a parent that is a
 * Node program. One that is not connected, or sends datagrams, reaches other sockets of this machine.
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
  return type === STREAM && state === CONNECTED ? undefined : 'a Unix socket for messages or without a connection';
}

/** Returns the kind of a connected Unix socket by the address of its other end, unless that is a parent or the journal. */
export function refusedEnd(end: string | undefined): string | undefined {
  if (end === undefined) return 'a Unix socket whose other end is unknown';
  if (end === '' || JOURNAL.test(end)) return undefined;
  // Names without a file begin with a zero byte; tools show it as @.
  return `a connection to another program (${end.replace('\0', '@')})`;
}

/** The descriptor to which {@link REPORT_ENDS} writes. */
const REPORT = 3;

/**
 * Writes the addresses of the other ends of sockets as JSON: an empty text for a socket of a pair. Node has no function for it, but its
 * diagnostic reports contain them. Reading is off, as the bytes are for the command.
 */
const REPORT_ENDS = `
const { Socket } = require('node:net');
const descriptors = process.argv.slice(1).map(Number);
for (const fd of descriptors) new Socket({ fd, readable: false, writable: false });
const handles = process.report.getReport().libuv;
const ends = descriptors.map((each) => [each, handles.find(({ fd, type }) => fd === each && type === 'pipe').remoteEndpoint ?? '']);
require('node:fs').writeSync(${REPORT}, JSON.stringify(ends));`;

/**
 * Returns the addresses of the other ends of standard streams; undefined where they are unknown. Another process opens them: Node makes
 * sockets non-blocking for every program that shares them, and undoes that only when it exits.
 */
function remoteEnds(sockets: readonly number[]): ReadonlyMap<number, string | undefined> {
  if (sockets.length === 0) return new Map();
  const { output } = spawnSync(process.execPath, ['-e', REPORT_ENDS, '--', ...sockets.map(String)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: {},
    encoding: 'utf8',
  });
  const unknown = sockets.map((each): [number, undefined] => [each, undefined]);
  try {
    return new Map<number, string | undefined>([
      ...unknown,
      ...(JSON.parse(output[REPORT] ?? '') as [number, string][]),
    ]);
  } catch {
    return new Map(unknown);
  }
}
