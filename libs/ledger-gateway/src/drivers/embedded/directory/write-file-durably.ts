import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the entries of a directory survive a power loss. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } catch (error) {
    // Some file systems have no fsync for directories (EINVAL); there is nothing more that can be done then.
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
  } finally {
    closeSync(directory);
  }
}

/** Makes a directory and those above it that are missing, for their owner only; after a power loss they are there. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
  syncDirectory(dirname(path));
}

/** Replaces a file as a whole: after a crash the old or the new content stands there, never a part of it. */
export function writeFileDurably(path: string, content: string | Uint8Array, mode = 0o600): void {
  const staged = `${path}.new`;
  const file = openSync(staged, 'w', mode);
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(staged, path);
  syncDirectory(dirname(path));
}
