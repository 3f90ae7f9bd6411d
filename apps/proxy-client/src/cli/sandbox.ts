import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isBelow, protectedPaths, UnprotectedFileError } from './protected-paths.js';

/** What a command in a sandbox sees. */
export interface Sandbox {
  /** The directory in which it runs, and may change files. */
  readonly directory: string;
  /** The home directory, which is empty in the sandbox. */
  readonly home: string;
  /** The directory of the proxy's unix socket, and the one in the sandbox. */
  readonly socket: { readonly from: string; readonly to: string };
  /** The file that runs the command. */
  readonly bridge: string;
  /** Further paths, with `:rw` if the command may change them. */
  readonly mounts: readonly string[];
  /** The files of the configuration, which the command must not change: it could allow itself everything in the next run. */
  readonly configuration: Iterable<string>;
  /** The request log, which this program writes outside the sandbox. */
  readonly logFile?: string | undefined;
}

/** The directories of programs and libraries; some are symbolic links. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt'];
/** What programs need of /etc: accounts, certificates, the dynamic linker, settings of tools. */
const ETC = [
  ...[
    'passwd',
    'group',
    'hosts',
    'nsswitch.conf',
    'localtime',
    'alternatives',
    'ld.so.cache',
    'ld.so.conf',
    'ld.so.conf.d',
  ],
  ...['ssl', 'ca-certificates', 'pki', 'crypto-policies', 'gitconfig', 'npmrc', 'pip.conf'],
].map((name) => `/etc/${name}`);
/** Directories with sockets and secrets of other programs. */
const SHARED = ['/run', '/var/run', '/tmp', '/etc', '/dev', '/proc', '/sys', '/usr'];

/** Returns why there can be no sandbox; undefined if bwrap is installed and the directory is suitable. */
export function sandboxProblem(sandbox: Sandbox): string | undefined {
  const { directory, home } = sandbox;
  const { error } = spawnSync('bwrap', ['--version'], { stdio: 'ignore' });
  if (error !== undefined) {
    return (
      'bwrap is not installed, so the command would not be confined. Install it (package bubblewrap), or use --no-sandbox: ' +
      'that only sets the proxy variables, which a command may ignore.'
    );
  }
  const exposed = [...SHARED, home].find((path) => isBelow(path, directory));
  if (exposed !== undefined) {
    return `The command may change files below the current directory, which contains ${exposed}. Change to the directory of a project.`;
  }
  return mountProblem(sandbox) ?? logProblem(sandbox) ?? configurationProblem(sandbox);
}

function mountProblem({ mounts }: Sandbox): string | undefined {
  const paths = mounts.map(pathOf);
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) return `--mount ${missing}: there is no such file or directory.`;
  const link = paths.find((path) => realpathSync(path) !== path);
  return link && `--mount ${link} leads through a symbolic link. Use ${realpathSync(link)}.`;
}

/** The request log is written outside the sandbox: a link in its place would lead to any file. */
function logProblem(sandbox: Sandbox): string | undefined {
  const { logFile } = sandbox;
  if (logFile === undefined || !existsSync(dirname(logFile))) return undefined;
  const path = join(realpathSync(dirname(logFile)), basename(logFile));
  if (!writableOf(sandbox).some((directory) => isBelow(path, directory))) return undefined;
  return `log.requests, ${path}, is in a directory that the command may change, and could be replaced by a link to any file. Move it outside.`;
}

function configurationProblem(sandbox: Sandbox): string | undefined {
  try {
    protectedOf(sandbox);
    return undefined;
  } catch (problem) {
    if (problem instanceof UnprotectedFileError) return problem.message;
    throw problem;
  }
}

/**
 * Returns the arguments of bwrap: a network namespace with nothing but a loopback interface, process, IPC and host name namespaces, no
 * capabilities, and a tree with little more than programs and the current directory. Other unix sockets are not in that tree.
 */
export function sandboxArguments(sandbox: Sandbox): readonly string[] {
  const { directory, home, socket, bridge } = sandbox;
  const node = dirname(realpathSync(process.execPath));
  return [
    ...['--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent', '--cap-drop', 'ALL'],
    ...SYSTEM.filter((path) => existsSync(path)).flatMap(systemMount),
    ...ETC.flatMap((path) => ['--ro-bind-try', path, path]),
    ...[
      '--proc',
      '/proc',
      // Otherwise root could change settings of the kernel, for which no capability is needed.
      ...['/proc/sys', '/proc/sysrq-trigger'].flatMap((path) => ['--ro-bind-try', path, path]),
      '--dev',
      '/dev',
      '--tmpfs',
      '/tmp',
      '--tmpfs',
      '/run',
      '--tmpfs',
      '/var/tmp',
      '--tmpfs',
      home,
    ],
    ...[node, dirname(process.execPath), dirname(bridge)].filter((path) => !isBelow(path, '/usr')).flatMap(readOnly),
    ...boundOf(sandbox).flatMap(({ path, writable }) => (writable ? ['--bind', path, path] : readOnly(path))),
    ...['--chdir', directory],
    ...protectedOf(sandbox).flatMap(readOnly),
    // Last, so that nothing hides it.
    ...['--ro-bind', socket.from, socket.to],
  ];
}

/** Returns what is visible besides the system, parents before what is below them, which they would hide. */
function boundOf({ directory, mounts }: Sandbox) {
  const asked = mounts.map((mount) => ({ path: pathOf(mount), writable: isWritable(mount) }));
  return [...asked, { path: directory, writable: true }].sort((a, b) => a.path.length - b.path.length);
}

function writableOf(sandbox: Sandbox): readonly string[] {
  return boundOf(sandbox).flatMap(({ path, writable }) => (writable ? [path] : []));
}

function protectedOf(sandbox: Sandbox): readonly string[] {
  return protectedPaths(sandbox.configuration, writableOf(sandbox));
}

const WRITABLE = ':rw';

function isWritable(mount: string): boolean {
  return mount.endsWith(WRITABLE);
}

function pathOf(mount: string): string {
  return resolve(isWritable(mount) ? mount.slice(0, -WRITABLE.length) : mount);
}

function readOnly(path: string): readonly string[] {
  return ['--ro-bind', path, path];
}

function systemMount(path: string): readonly string[] {
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : readOnly(path);
}
