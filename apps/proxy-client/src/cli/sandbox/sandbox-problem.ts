import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isBelow, protectedFiles, UnprotectedFileError } from './protected-paths.js';
import { pathOf, writableOf, type Sandbox } from './sandbox.js';
import { streamProblem } from './standard-streams.js';
import { systemCallFilter } from './system-call-filter.js';

/** Directories with sockets and secrets of other programs. */
const SHARED = ['/run', '/var/run', '/tmp', '/etc', '/dev', '/proc', '/sys', '/usr'];

const VARIABLES_ONLY = '--no-sandbox only sets the proxy variables, which a command may ignore.';

/** Returns why there can be no sandbox; undefined if bwrap is installed and the directory is suitable. */
export function sandboxProblem(sandbox: Sandbox): string | undefined {
  const { directory, homes } = sandbox;
  const { error } = spawnSync('bwrap', ['--version'], { stdio: 'ignore' });
  if (error !== undefined) {
    return `bwrap is not installed, so the command would not be confined. Install it (package bubblewrap). ${VARIABLES_ONLY}`;
  }
  const exposed = [...SHARED, ...homes].find((path) => isBelow(path, directory));
  if (exposed !== undefined) {
    return `The command may change files below the current directory, which contains ${exposed}. Change to the directory of a project.`;
  }
  if (!sandbox.unixSockets && systemCallFilter(false) === undefined) {
    return `--no-unix-sockets is not available on this architecture (${process.arch}).`;
  }
  return streamProblem(sandbox.gate) ?? mountProblem(sandbox) ?? logProblem(sandbox) ?? configurationProblem(sandbox);
}

/** What the system states about user namespaces. */
export interface NamespaceSettings {
  readonly isRoot: boolean;
  /** Whether this program itself runs in a sandbox of bwrap, such as that of another `run`. */
  readonly isNested: boolean;
  /** Reads a setting below /proc/sys; undefined if there is none. */
  readonly setting: (name: string) => string | undefined;
}

const PRESENT_SYSTEM: NamespaceSettings = {
  isRoot: process.getuid?.() === 0,
  isNested: textOf('/proc/1/comm') === 'bwrap',
  setting: (name) => textOf(`/proc/sys/${name}`),
};

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/**
 * Returns why bwrap could not create the sandbox, and what to do.
 *
 * @param message - what bwrap has written to standard error
 */
export function sandboxFailure(message: string, { isRoot, isNested, setting } = PRESENT_SYSTEM): string {
  return `The sandbox could not be created: ${causeOf()} ${VARIABLES_ONLY}`;

  function causeOf(): string {
    if (isNested) {
      return (
        'this program already runs in a sandbox, which allows no other one. If that confines the command too, use --no-sandbox; ' +
        'otherwise run this program outside of it.'
      );
    }
    if (message.includes('mount proc')) {
      return (
        'this is a container in which /proc is partly hidden, so no other /proc can be mounted. Start the container with ' +
        '--security-opt systempaths=unconfined (Docker), procMount: Unmasked (Kubernetes), or without a container around this program.'
      );
    }
    if (!/namespace|uid map|loopback|RTM_|pivot_root|make \/ slave/.test(message)) return 'see the message of bwrap.';
    if (/slave|pivot_root/.test(message)) {
      return (
        'this container may not mount anything. Start the container with --security-opt apparmor=unconfined (Docker), ' +
        'or run this program outside of it.'
      );
    }
    if (isRoot) {
      return (
        'root may not create namespaces here, as in a container without privileges. Start the container with ' +
        '--security-opt seccomp=unconfined (Docker), with --cap-add SYS_ADMIN if that is not enough, or run this program outside of it.'
      );
    }
    if (setting('user/max_user_namespaces') === '0') {
      return 'this system allows no user namespaces. Set the sysctl user.max_user_namespaces, or run this program as root.';
    }
    if (message.includes('exceeded')) {
      return 'there are too many namespaces. Set the sysctl user.max_user_namespaces to a larger number, or end other sandboxes.';
    }
    if (setting('kernel/unprivileged_userns_clone') === '0') {
      return 'this system allows user namespaces only to root. Set the sysctl kernel.unprivileged_userns_clone to 1.';
    }
    if (setting('kernel/apparmor_restrict_unprivileged_userns') === '1') {
      return (
        'AppArmor allows user namespaces only to programs with a profile. Add one for bwrap (docs/gate.md), ' +
        'or set the sysctl kernel.apparmor_restrict_unprivileged_userns to 0.'
      );
    }
    return (
      'this user may not create user namespaces here, as in a container. Start the container with ' +
      '--security-opt seccomp=unconfined (Docker), or run this program outside of it.'
    );
  }
}

function mountProblem({ mounts }: Sandbox): string | undefined {
  const paths = mounts.map(pathOf);
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) return `--mount ${missing}: there is no such file or directory.`;
  const link = paths.find((path) => realpathSync(path) !== path);
  return link && `--mount ${link} leads through a symbolic link. Use ${realpathSync(link)}.`;
}

/** The request log is written outside the sandbox: a link with its name would lead to any file. */
function logProblem(sandbox: Sandbox): string | undefined {
  const { logFile } = sandbox;
  if (logFile === undefined || !existsSync(dirname(logFile))) return undefined;
  const path = join(realpathSync(dirname(logFile)), basename(logFile));
  if (!writableOf(sandbox).some((directory) => isBelow(path, directory))) return undefined;
  return `log.requests, ${path}, is in a directory that the command may change, and could be replaced by a link to any file. Move it outside.`;
}

function configurationProblem(sandbox: Sandbox): string | undefined {
  try {
    protectedFiles(sandbox.configuration, writableOf(sandbox));
    return undefined;
  } catch (problem) {
    if (problem instanceof UnprotectedFileError) return problem.message;
    throw problem;
  }
}
