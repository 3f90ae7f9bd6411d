import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

// A named pipe in the place of a file blocks the thread that opens it until another process writes to it.

/** Levels of directories that are searched: those of the data directory's own files. */
const LEVELS = 3;

/**
 * Returns a named pipe or a device at a path, or in a directory and those below it, that would block a program which opens it as
 * a file; undefined for none. Directories that cannot be read are skipped: what opens their files reports them.
 */
export function findBlockingFile(path: string): string | undefined {
  return isBlocking(targetOf(path)) ? path : findIn(path, LEVELS);
}

function findIn(directory: string, levels: number): string | undefined {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && levels > 1) {
      const found = findIn(path, levels - 1);
      if (found !== undefined) return found;
    } else if (isBlocking(entry) || (entry.isSymbolicLink() && isBlocking(targetOf(path)))) return path;
  }
  return undefined;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Returns undefined for a link to nothing and for one that cannot be followed. */
function targetOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isBlocking(entry: Dirent | Stats | undefined): boolean {
  return entry?.isFIFO() === true || entry?.isCharacterDevice() === true || entry?.isBlockDevice() === true;
}

const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Reads a text file that is read again when it changes, which a pipe does not allow.
 * @throws the system's error, or one with a readable code for a pipe or a device
 */
export async function readRegularFile(path: string): Promise<string> {
  await using file = await open(path, WITHOUT_WAITING);
  requireEnd(await file.stat());
  return await file.readFile('utf8');
}

/**
 * Reads a text file without waiting for another process.
 * @throws as {@link readRegularFile}
 */
export function readRegularFileSync(path: string): string {
  const file = openSync(path, WITHOUT_WAITING);
  try {
    requireEnd(fstatSync(file));
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function requireEnd(stats: Stats): void {
  if (!isBlocking(stats)) return;
  const code = 'not a regular file';
  throw Object.assign(new Error(code), { code });
}
