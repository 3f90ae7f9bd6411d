import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { secretsOf } from './secrets-of-etc.js';

/** The directories of programs and libraries; some are symbolic links. */
export const SYSTEM_DIRECTORIES: readonly string[] = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store', '/snap'],
];

/** Settings of the kernel, which root could change: no capability is needed for that. */
const KERNEL_SETTINGS = ['acpi', 'asound', 'bus', 'driver', 'fs', 'irq', 'mtrr', 'scsi', 'sys', 'sysrq-trigger'].map(
  (name) => `/proc/${name}`,
);

/** Separates the processes of a command from all others, without capabilities, and ends them with the program that started bwrap. */
export const SEPARATED: readonly string[] = [
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent', '--cap-drop', 'ALL'],
];

/** Prevents a command from creating user namespaces, in which it would have capabilities. */
export const WITHOUT_USER_NAMESPACES: readonly string[] = ['--unshare-user', '--disable-userns'];

/**
 * Returns the arguments of bwrap that mount the system read-only: programs, libraries, settings without secrets, an own /proc and
 * /dev, and empty temporary directories.
 */
export function systemMounts(): readonly string[] {
  return [
    ...SYSTEM_DIRECTORIES.filter((path) => existsSync(path)).flatMap(systemMount),
    ...etc(),
    ...['--proc', '/proc'],
    ...KERNEL_SETTINGS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--dev', '/dev'],
    ...['/tmp', '/run', '/var/tmp'].flatMap((path) => ['--tmpfs', path]),
  ];
}

/** Mounts /etc, without what not every user may read. */
function etc(): readonly string[] {
  const { files, directories } = secretsOf('/etc');
  return [
    ...readOnly('/etc'),
    ...files.flatMap((file) => ['--ro-bind', '/dev/null', file]),
    ...directories.flatMap((directory) => ['--tmpfs', directory]),
  ];
}

/** Returns the arguments of bwrap that mount a path read-only. */
export function readOnly(path: string): readonly string[] {
  return ['--ro-bind', path, path];
}

function systemMount(path: string): readonly string[] {
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : readOnly(path);
}
