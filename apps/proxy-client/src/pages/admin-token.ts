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

/** systemd's RUNTIME_DIRECTORY or the one of the user's session; else one of our own among the temporary files. */
function ownDirectory(): string {
  // Where the system wants such files is no setting of this program.
  // eslint-disable-next-line no-restricted-properties
  const { RUNTIME_DIRECTORY: service, XDG_RUNTIME_DIR: session } = process.env;
  if (service !== undefined && service !== '') return service.split(':', 1)[0] ?? service;
  const [base, name] = session === undefined || session === '' ? [tmpdir(), nameOfOwn()] : [session, 'proxy-client'];
  const directory = join(base, name);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = lstatSync(directory);
  const isOurs = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
  if (!found.isDirectory() || !isOurs) throw new Error(`${directory} is not a directory of this user's alone`);
  return directory;
}

function nameOfOwn(): string {
  return `proxy-client-${process.getuid?.() ?? userInfo().username}`;
}
