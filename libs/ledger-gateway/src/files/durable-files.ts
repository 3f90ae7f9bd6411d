import { closeSync, existsSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

// The one place where files are written that must be whole after a crash and there after a power loss.

/** What says that a directory cannot be synced, on some systems or for who may not list it: nothing more can be done then. */
const UNSYNCABLE: ReadonlySet<string | undefined> = new Set(['EINVAL', 'EACCES', 'EPERM', 'EISDIR']);

/** Makes the entries of a directory survive a power loss. */
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

/** Makes a directory and those above it that are missing, for their owner only; after a power loss they are there. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(resolve(path));
  makeDirectory(parent);
  try {
    // Not recursive: where a file system says of a directory that it is not there and is (/proc), Node would try for ever.
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Somebody else may just have made it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  syncDirectory(parent);
}

/**
 * Replaces a file as a whole: whoever reads it, and after a crash or a power loss, sees the old or the new content, never a
 * part of it. Several processes may do so at once; the last one stays. Directories that are missing are made.
 * @param mode - of the new file, whatever the umask; by default for its owner only
 */
export function writeFileDurably(path: string, content: string | Uint8Array, mode = 0o600): void {
  makeDirectory(dirname(resolve(path)));
  const staged = `${path}.${process.pid}.new`;
  const file = openSync(staged, 'w', mode);
  try {
    fchmodSync(file, mode);
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(staged, path);
  syncDirectory(dirname(resolve(path)));
}
