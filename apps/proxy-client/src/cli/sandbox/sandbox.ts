import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { directoriesToPin, isBelow, protectedFiles } from './protected-paths.js';
import { searchProject, type ProjectFiles } from './project-files.js';
import { readOnly, SEPARATED, SYSTEM_DIRECTORIES, systemMounts, WITHOUT_USER_NAMESPACES } from '#bubblewrap';
import type { GateFiles } from './standard-streams.js';
import { toolchainsOf } from './toolchains.js';
import { systemCallFilter } from './system-call-filter.js';

/** What a command in a sandbox sees. */
export interface Sandbox {
  /** The directory in which it runs, and may change files. */
  readonly directory: string;
  /** The home directories, by the environment and by the list of accounts, which are empty in the sandbox. */
  readonly homes: readonly string[];
  /** The variable PATH. */
  readonly path: string;
  /** The directory of the programs that run inside. */
  readonly programs: string;
  /** Further paths, with `:rw` if the command may change them. */
  readonly mounts: readonly string[];
  /** The files of the configuration, which the command must neither read nor change. */
  readonly configuration: Iterable<string>;
  /** The request log, which this program writes outside the sandbox. */
  readonly logFile?: string | undefined;
  /** The files of the gate, whether or not the command sees them. */
  readonly gate: GateFiles;
  /** The directory with the tokens of admin listeners. */
  readonly tokens?: string | undefined;
  /** Whether the command may create Unix sockets. */
  readonly unixSockets: boolean;
  /** Whether the command may create user namespaces, as the sandbox of a browser does. */
  readonly userNamespaces: boolean;
}

/** A command line of bwrap. */
export interface SandboxCommand {
  readonly args: readonly string[];
  /** What bwrap reads from the descriptors after {@link FIRST_DATA}. */
  readonly data: readonly Uint8Array[];
}

/** The first descriptor of {@link SandboxCommand.data}: the ones before are those of the command, and the channel to this program. */
export const FIRST_DATA = 4;

/**
 * Returns the command line of bwrap: a network namespace with nothing but a loopback interface, process, IPC and host name namespaces, no
 * capabilities, and a tree with little more than programs, settings without secrets, and the current directory.
 *
 * @param project - the result of {@link projectFiles}
 */
export function sandboxCommand(sandbox: Sandbox, project: ProjectFiles): SandboxCommand {
  const { homes, programs, unixSockets, userNamespaces } = sandbox;
  const data: Uint8Array[] = [];
  const descriptorOf = (content: Uint8Array): string => String(FIRST_DATA + data.push(content) - 1);
  const filter = systemCallFilter(unixSockets);
  const args = [
    ...['--unshare-net', ...SEPARATED],
    ...namespaceOptions(userNamespaces),
    ...(filter === undefined ? [] : ['--seccomp', descriptorOf(filter)]),
    ...systemMounts(),
    ...homes.flatMap((path) => ['--tmpfs', path]),
    ...homes.flatMap((home) => toolchainsOf(home, sandbox.path)).flatMap(readOnly),
    // They are not secret, and without them ssh trusts no host.
    ...homes
      .map((home) => `${home}/.ssh/known_hosts`)
      .filter((file) => existsSync(file))
      .flatMap(readOnly),
    ...nodeAnd(programs).flatMap(readOnly),
    ...boundOf(sandbox).flatMap(({ path, writable }) => (writable ? ['--bind', path, path] : readOnly(path))),
    ...protections(sandbox, project, () => ['--ro-bind-data', descriptorOf(new Uint8Array())]),
    ...['--chdir', sandbox.directory],
  ];
  return { args, data };
}

/** Returns the options of bwrap that concern user namespaces. */
export function namespaceOptions(userNamespaces: boolean): readonly string[] {
  if (!userNamespaces) return WITHOUT_USER_NAMESPACES;
  // bwrap creates one automatically for all others, and for root only if it is named.
  return process.getuid?.() === 0 && !canAdministrate() ? ['--unshare-user'] : [];
}

const CAP_SYS_ADMIN = 1n << 21n;

/** Returns whether this process has the capability to create namespaces, which root lacks in containers. */
function canAdministrate(): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0';
  return (BigInt(`0x${effective}`) & CAP_SYS_ADMIN) !== 0n;
}

/** Searches the directories that the command may change; it may change what was named with `:rw`. */
export function projectFiles(sandbox: Sandbox): ProjectFiles {
  const { directory, mounts } = sandbox;
  const opened = mounts.filter(isWritable).map(pathOf);
  const found = searchProject(directory);
  const isOpened = (path: string): boolean => {
    return opened.some((mount) => isBelow(path, mount) && isBelow(mount, directory) && mount !== directory);
  };
  const closed = (paths: readonly string[]): readonly string[] => paths.filter((path) => !isOpened(path));
  return { ...found, executed: closed(found.executed), missing: closed(found.missing), sockets: closed(found.sockets) };
}

/** Returns the absolute directories that the command may change. */
export function writableOf(sandbox: Sandbox): readonly string[] {
  return boundOf(sandbox).flatMap(({ path, writable }) => (writable ? [path] : []));
}

/** Returns whether a path is one of the system's, which is not hidden even if it is the home directory of an account. */
export function isSystem(path: string): boolean {
  return path === '/' || [...SYSTEM_DIRECTORIES, '/etc', '/dev', '/proc'].some((directory) => isBelow(path, directory));
}

/** Returns the path of a mount. */
export function pathOf(mount: string): string {
  return resolve(isWritable(mount) ? mount.slice(0, -WRITABLE.length) : mount);
}

/** Returns the mounts that hide or protect files of what the command sees. */
function protections(
  sandbox: Sandbox,
  { executed, missing, sockets }: ProjectFiles,
  empty: () => readonly string[],
): readonly string[] {
  const writable = writableOf(sandbox);
  const visible = [...boundOf(sandbox).map(({ path }) => path), ...SYSTEM_DIRECTORIES, '/etc'];
  const isVisible = (path: string): boolean => visible.some((directory) => isBelow(path, directory));
  const configuration = protectedFiles(sandbox.configuration, writable).filter(isVisible);
  // What is mounted read-only needs no further protection.
  const canChange = (path: string): boolean => {
    return boundOf(sandbox).findLast((each) => isBelow(path, each.path))?.writable === true;
  };
  const absent = missing.filter(canChange);
  const changeable = [...configuration, ...executed, ...absent].filter(canChange);
  const { tokens } = sandbox;
  return [
    ...directoriesToPin(changeable, writable).flatMap((path) => ['--bind', path, path]),
    ...executed.flatMap(readOnly),
    ...absent.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...[...configuration, ...sockets].flatMap((path) => [...empty(), path]),
    ...(tokens !== undefined && isVisible(tokens) ? ['--tmpfs', tokens] : []),
  ];
}

function nodeAnd(programs: string): readonly string[] {
  const node = dirname(realpathSync(process.execPath));
  return [node, dirname(process.execPath), programs].filter((path) => !isBelow(path, '/usr'));
}

/** Returns what is visible besides the system, parents before what is below them, which they would hide. */
function boundOf({ directory, mounts }: Sandbox) {
  const asked = mounts.map((mount) => ({ path: pathOf(mount), writable: isWritable(mount) }));
  return [...asked, { path: directory, writable: true }].sort((a, b) => a.path.length - b.path.length);
}

const WRITABLE = ':rw';

function isWritable(mount: string): boolean {
  return mount.endsWith(WRITABLE);
}
