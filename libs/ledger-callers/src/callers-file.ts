import { constants, existsSync, realpathSync, type BigIntStats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { FileLock, makeDirectory, newerFormatError, writeFileDurably } from '#files';
import { namesTwice } from '#json';
import {
  CallersError,
  requireEntry,
  requireKnown,
  requireObject,
  requireUnique,
  type CallerEntry,
  type CallerList,
  type ChangedCallers,
} from './caller-list.js';

const FORMAT = 1;
/** Far above 10,000 callers. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Entries that are validated in one turn of the event loop, so that a long list delays requests by a few milliseconds. */
const ENTRIES_PER_TURN = 25;
/** The timeout for the lock of a change, and the polling interval, in milliseconds. */
const LOCK_TIMEOUT_MS = 10_000;
const LOCK_POLL_MS = 20;

/** The content of a callers file. */
export interface ReadCallers {
  /** Undefined if there is no such file. */
  readonly callers: CallerList | undefined;
  /** Identifies a version of the file by device, inode, times and size. */
  readonly version: string;
  /** What an operator should change although the file works. */
  readonly warning?: string;
}

/** Returns the directory with the records of the callers' certificates. */
export function certificatesDirOf(callersFile: string): string {
  return join(dirname(callersFile), 'certificates');
}

/** Returns the current {@link ReadCallers.version} of a file. @throws the system's error when it is inaccessible */
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
 * @throws {@link CallersError} if it is unreadable or invalid, or if other users may write it
 */
export async function readCallers(path: string): Promise<ReadCallers> {
  try {
    // Not blocking: a pipe in the file's place would block the program.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat({ bigint: true });
    requireSafe(stats);
    const callers = await parseCallers(await file.readFile('utf8'));
    const isReadable = (stats.mode & 0o044n) !== 0n;
    const warning = 'Other users of this machine can read it: chmod 600.';
    return { callers, version: version(stats), ...(isReadable && { warning }) };
  } catch (error) {
    if (isMissing(error)) return { callers: undefined, version: '' };
    throw new CallersError(`The callers in ${path} cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Changes a callers file, which is created if it is missing. Changes of all processes run one after the other; readers see the
 * old list or the new one.
 * @throws {@link CallersError}, also those of the change; the file is unchanged then
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
    if (changed.callers !== callers) writeFileDurably(file, formatCallers(changed.callers));
    return changed;
  } finally {
    lock.release();
  }
}

/** Returns the text of a callers file. */
export function formatCallers(callers: CallerList): string {
  return `${JSON.stringify({ format: FORMAT, callers }, null, 2)}\n`;
}

/**
 * Parses and validates the text of a callers file. Yields to the event loop while it validates.
 * @throws {@link CallersError} with the entry and the reason
 */
export async function parseCallers(text: string): Promise<CallerList> {
  const { format, callers, ...others } = requireObject(await parseJson(text), 'the file');
  const newer = newerFormatError('it', format, FORMAT);
  if (newer !== undefined) throw new CallersError(newer);
  if (format !== FORMAT || !Array.isArray(callers)) throw new CallersError('it is not a list of callers.');
  requireKnown(others, [], 'the file');
  const entries: CallerEntry[] = [];
  for (const [index, value] of (callers as readonly unknown[]).entries()) {
    if (index % ENTRIES_PER_TURN === 0) await nextTurn();
    entries.push(requireEntry(value, `entry ${index + 1}`));
  }
  requireUnique(entries);
  return entries;
}

async function parseJson(text: string): Promise<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CallersError('it is not valid JSON.');
  }
  await nextTurn();
  if (namesTwice(text, value)) throw new CallersError('an object in it names a field twice.');
  return value;
}

async function lockOf(file: string): Promise<FileLock> {
  const path = `${file}.lock`;
  const end = performance.now() + LOCK_TIMEOUT_MS;
  for (let lock = takeLock(path); ; lock = takeLock(path)) {
    if (lock !== undefined) return lock;
    if (performance.now() > end) throw new CallersError(`Another process is changing ${file}. Try again.`);
    await delay(LOCK_POLL_MS);
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
  if (!stats.isFile()) throw new CallersError('it is not a file.');
  if (stats.size > MAX_BYTES) throw new CallersError(`it is larger than ${MAX_BYTES} bytes.`);
  if ((stats.mode & 0o022n) !== 0n) throw new CallersError('other users of this machine can write it: chmod 600.');
}

function version({ dev, ino, mtimeNs, ctimeNs, size }: BigIntStats): string {
  return [dev, ino, mtimeNs, ctimeNs, size].join(':');
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function reasonOf(error: unknown): string {
  if (error instanceof CallersError) return error.message;
  return `${(error as NodeJS.ErrnoException).code ?? String(error)}.`;
}
