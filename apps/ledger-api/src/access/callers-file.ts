import { constants, existsSync, realpathSync, type BigIntStats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FileLock, makeDirectory, writeFileDurably } from '#ledger-gateway';
import { CallersError, formatCallers, parseCallers, type CallerList } from './caller-entry.js';
import type { ChangedCallers } from './caller-list.js';

/** Far above 10,000 callers. */
const LARGEST_BYTES = 32 * 1024 * 1024;
/** How long a change waits for another one, in milliseconds, and how often it looks. */
const LOCK_WAIT_MS = 10_000;
const LOCK_LOOK_MS = 20;

/** What a callers file held when it was looked at. */
export interface ReadCallers {
  /** undefined: there is no such file. */
  readonly callers: CallerList | undefined;
  /** Identifies a version of the file by device, inode, times and size. */
  readonly version: string;
  /** What an operator should mend although the file works. */
  readonly warning?: string;
}

/** Returns the directory with the records of the callers' certificates. */
export function certificatesDirOf(callersFile: string): string {
  return join(dirname(callersFile), 'certificates');
}

/** What {@link ReadCallers.version} of a file is now. @throws the system's error when it cannot be looked at */
export async function versionOf(path: string): Promise<string> {
  try {
    return version(await stat(path, { bigint: true }));
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

/**
 * Reads a callers file.
 * @throws {@link CallersError} when it cannot be read, others may write it, or it holds no list of callers
 */
export async function readCallers(path: string): Promise<ReadCallers> {
  try {
    // Not blocking: a pipe in the file's place would hold the program up.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat({ bigint: true });
      requireSafe(stats);
      const callers = await parseCallers(await file.readFile('utf8'));
      const warning =
        (stats.mode & 0o044n) === 0n ? {} : { warning: 'Other users of this machine can read it: chmod 600.' };
      return { callers, version: version(stats), ...warning };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return { callers: undefined, version: '' };
    throw new CallersError(`The callers in ${path} cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Changes a callers file, which is made when it is missing. One change after the other, in whatever process; readers see the
 * old list or the new one.
 * @throws {@link CallersError}, also those of the change; the file is as it was then
 */
export async function changeCallers(
  path: string,
  change: (callers: CallerList) => ChangedCallers,
): Promise<ChangedCallers> {
  // A link, as orchestrators make them, stays one.
  const file = existsSync(path) ? realpathSync(path) : path;
  const lock = await lockOf(file);
  try {
    const { callers = [] } = await readCallers(file);
    const changed = change(callers);
    writeFileDurably(file, formatCallers(changed.callers));
    return changed;
  } finally {
    lock.release();
  }
}

async function lockOf(file: string): Promise<FileLock> {
  const path = `${file}.lock`;
  const end = performance.now() + LOCK_WAIT_MS;
  for (let lock = takeLock(path); ; lock = takeLock(path)) {
    if (lock !== undefined) return lock;
    if (performance.now() > end)
      throw new CallersError(`Somebody else has been changing ${file} for seconds: try again.`);
    await delay(LOCK_LOOK_MS);
  }
}

function takeLock(path: string): FileLock | undefined {
  try {
    makeDirectory(dirname(resolve(path)));
    return FileLock.acquire(path);
  } catch (error) {
    throw new CallersError(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

function requireSafe(stats: BigIntStats): void {
  if (!stats.isFile()) throw new CallersError('it is no file.');
  if (stats.size > LARGEST_BYTES) throw new CallersError(`it is larger than ${LARGEST_BYTES} bytes.`);
  if ((stats.mode & 0o022n) !== 0n) {
    throw new CallersError('other users of this machine can write it, and so let anybody in: chmod 600.');
  }
}

function version({ dev, ino, mtimeNs, ctimeNs, size }: BigIntStats): string {
  return [dev, ino, mtimeNs, ctimeNs, size].join(':');
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function reasonOf(error: unknown): string {
  if (error instanceof CallersError) return error.message;
  return `${(error as NodeJS.ErrnoException).code ?? String(error)}.`;
}
