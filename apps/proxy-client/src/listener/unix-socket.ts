import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  linkSync,
  lstatSync,
  mkdtempSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import type { SocketConfig } from '../config/socket-setting.js';
import { Endpoint } from './endpoint.js';
import { ListenError } from './listen-error.js';

const EXPLANATIONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program answers on this socket',
  EEXIST: 'there is a file that is not a socket',
  ENOENT: 'the directory does not exist',
  EACCES: 'this user may not create files in the directory',
  EPERM: 'this user may not change the owner or group of files',
};

/** The endpoint of a Unix socket. */
export class UnixSocket extends Endpoint {
  #path: string | undefined;
  #inode: number | undefined;

  override get path(): string | undefined {
    return this.#path;
  }

  /**
   * Opens the socket. It has its mode and owner before other programs can see it: it is created in a temporary directory that
   * is closed to others, and then linked to its path. A socket at that path on which no program answers is replaced.
   *
   * @param settings - the settings that contain the path, for the message
   * @throws {@link ListenError}
   */
  async open({ path, mode, owner = -1, group = -1 }: SocketConfig, settings: string): Promise<void> {
    let directory: string | undefined;
    try {
      // Not by join(), which would remove the dot: the directory could be on another file system then.
      directory = mkdtempSync(`${dirname(path)}/.`);
      const temporary = join(directory, 's');
      await this.listen({ path: temporary });
      chownSync(temporary, owner, group);
      chmodSync(temporary, mode);
      await removeStale(path);
      linkSync(temporary, path);
      this.#path = path;
      this.#inode = lstatSync(path).ino;
    } catch (error) {
      this.close();
      throw new ListenError({ path }, settings, error, explanationOf(error as NodeJS.ErrnoException));
    } finally {
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    }
  }

  override close(): void {
    // First: while it is open, no other file can have its inode.
    if (this.#path !== undefined && this.#inode !== undefined) unlinkIf(this.#path, this.#inode);
    super.close();
  }
}

/**
 * Checks whether a socket could be opened, without creating it.
 *
 * @throws {@link ListenError} as {@link UnixSocket.open}
 */
export function checkUnixSocket({ path, owner, group }: SocketConfig, settings: string): void {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSocket() === false) throw Object.assign(new Error('not a socket'), { code: 'EEXIST' });
    if (!mayGiveTo(owner, group)) throw Object.assign(new Error('not permitted'), { code: 'EPERM', syscall: 'chown' });
  } catch (error) {
    throw new ListenError({ path }, settings, error, explanationOf(error as NodeJS.ErrnoException));
  }
}

/** Whether this process may give a file that it has created to a user and a group: without privileges, to itself and its groups. */
function mayGiveTo(owner: number | undefined, group: number | undefined): boolean {
  const { geteuid, getegid, getgroups } = process;
  const user = geteuid?.();
  if (user === 0) return true;
  const groups = [getegid?.(), ...(getgroups?.() ?? [])];
  return (owner === undefined || owner === user) && (group === undefined || groups.includes(group));
}

function explanationOf({ code = '', syscall }: NodeJS.ErrnoException): string | undefined {
  // Not the file, but the socket itself: a seccomp filter, as in some sandboxes.
  if (code === 'EPERM' && syscall === 'listen') return 'programs may not create Unix sockets here';
  return EXPLANATIONS[code];
}

/** Removes a socket that a program has left behind. */
async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw Object.assign(new Error('not a socket'), { code: 'EEXIST' });
  if (await isAnswered(path)) throw Object.assign(new Error('in use'), { code: 'EADDRINUSE' });
  unlinkIf(path, found.ino);
}

/** Removes a file, unless another one has replaced it. */
function unlinkIf(path: string, inode: number): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.ino === inode) unlinkSync(path);
}

/** Returns whether a program may be listening on a socket: only a refused connection proves the contrary. */
async function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path });
    probe.on('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT');
    });
  });
}
