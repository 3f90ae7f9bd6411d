import { randomBytes } from 'node:crypto';
import { closeSync, constants, fchmodSync, lstatSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** A token that nobody guesses. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Writes the token where only the user of this process reads it.
 *
 * @param port - of the admin listener, which tells programs of one user apart
 * @returns the file
 * @throws when there is no directory that nobody else can write to, or the file cannot be made
 */
export function writeTokenFile(token: string, port: number): string {
  const file = join(ownDirectory(), `admin-${port}.token`);
  rmSync(file, { force: true });
  // What somebody else has put there meanwhile, a link too, is neither followed nor written to.
  const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    fchmodSync(fd, 0o600);
    writeSync(fd, `${token}\n`);
  } finally {
    closeSync(fd);
  }
  return file;
}

/**
 * systemd's RUNTIME_DIRECTORY; else one of our own in that of the user's session, or, where that cannot be used (after `su` it
 * is somebody else's), among the temporary files.
 */
function ownDirectory(): string {
  // Where the system wants such files is no setting of this program.
  // eslint-disable-next-line no-restricted-properties
  const { RUNTIME_DIRECTORY: service, XDG_RUNTIME_DIR: session } = process.env;
  if (service !== undefined && service !== '') return service.split(':', 1)[0] ?? service;
  if (session !== undefined && session !== '') {
    try {
      return makePrivate(join(session, 'proxy-client'));
    } catch {
      // Among the temporary files then.
    }
  }
  return makePrivate(join(tmpdir(), nameOfOwn()));
}

/** The directory, which is this user's alone; what it is to lie in must be there. */
function makePrivate(directory: string): string {
  try {
    // Not recursive: where a file system says of a directory that it is not there and is (/proc), Node would try for ever.
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = lstatSync(directory);
  const isOurs = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
  if (!found.isDirectory() || !isOurs) throw new Error(`${directory} is not a directory of this user's alone`);
  return directory;
}

function nameOfOwn(): string {
  return `proxy-client-${process.getuid?.() ?? userInfo().username}`;
}
