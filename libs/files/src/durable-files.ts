import {
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

// All files that must survive a crash and a power loss undamaged are written here.

/** Error codes of systems, and of missing permissions, that do not allow a directory to be synced. */
const UNSYNCABLE: ReadonlySet<string | undefined> = new Set(['EINVAL', 'EACCES', 'EPERM', 'EISDIR']);

/** Syncs a directory, so that its entries survive a power loss. */
export function syncDirectory(path: string): void {
  let directory: number | undefined;
  try {
    directory = openSync(path, 'r');
    fsyncSync(directory);
  } catch (error) {
    if (!UNSYNCABLE.has((error as NodeJS.ErrnoException).code)) throw error;
  } finally {
    if (directory !== undefined) closeSync(directory);
  }
}

/**
 * Gives a new file that root has created to the owner of its directory: an operator's command must not leave files that the
 * service, which runs as another user, cannot read. Does nothing for other users.
 */
export function shareWithOwner(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(resolve(path)));
  if (uid !== 0) chownSync(path, uid, gid);
}

/**
 * Creates an empty file that only its owner may read, unless it exists. SQLite, which opens it afterwards, would apply the umask; its
 * other files have the mode and the owner of this one.
 */
export function createPrivateFile(path: string): void {
  const isNew = !existsSync(path);
  closeSync(openSync(path, 'a', 0o600));
  if (isNew) shareWithOwner(path);
}

/** Creates a directory and its missing parents durably, accessible by the owner only. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(resolve(path));
  makeDirectory(parent);
  try {
    // Not recursive: in a file system that reports an existing directory as missing (/proc), Node would retry forever.
    mkdirSync(path, { mode: 0o700 });
    shareWithOwner(path);
  } catch (error) {
    // Another process may just have created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  syncDirectory(parent);
}

/**
 * Replaces a file atomically and durably: readers see the old or the new content, also after a crash or a power loss. Of
 * concurrent writers the last one wins. Missing directories are created.
 * @param mode - of the new file, regardless of the umask; by default accessible by the owner only
 */
export function writeFileDurably(path: string, content: string | Uint8Array, mode = 0o600): void {
  makeDirectory(dirname(resolve(path)));
  const staged = `${path}.${process.pid}.new`;
  try {
    const file = openSync(staged, 'w', mode);
    try {
      fchmodSync(file, mode);
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
      // A crash before the rename leaves the old content and a staged file, which the next write of it replaces.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    shareWithOwner(staged);
    renameSync(staged, path);
  } catch (error) {
    throw abandoned(staged, path, error);
  }
  // A crash before this is durable may leave the old content: the caller acknowledges nothing before it returns.
  syncDirectory(dirname(resolve(path)));
}

/** Replaces a file in an existing directory like {@link writeFileDurably}, without blocking the event loop. */
export async function replaceFileDurably(path: string, content: string): Promise<void> {
  const staged = `${path}.${process.pid}.new`;
  try {
    const file = await open(staged, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    shareWithOwner(staged);
    await rename(staged, path);
  } catch (error) {
    throw abandoned(staged, path, error);
  }
  syncDirectory(dirname(resolve(path)));
}

/** Removes a staged file that could not be completed, and returns the error with the path, which a failed write does not name. */
function abandoned(staged: string, path: string, error: unknown): unknown {
  rmSync(staged, { force: true });
  return Object.assign(error as NodeJS.ErrnoException, { path });
}
