import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'is not readable by this user',
  EISDIR: 'is a directory',
  ENOTDIR: 'does not exist',
  ENXIO: 'is neither a file nor a pipe',
  ELOOP: 'is a symbolic link to itself',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text',
  ERR_INVALID_ARG_VALUE: 'is not the name of a file',
};

/** Returns why a file cannot be read. */
export function unreadable({ code = 'unknown error' }: NodeJS.ErrnoException): string {
  return UNREADABLE[code] ?? `cannot be read (${code})`;
}

/** A file that must not be read. */
class UnsuitableFile extends Error {}

/** Returns why a file cannot be read, from whatever {@link textPieces} and {@link openFile} throw. */
export function problemOf(error: unknown): string {
  return error instanceof UnsuitableFile ? error.message : unreadable(error as NodeJS.ErrnoException);
}

/** Pipes that a shell passes: `--config <(COMMAND)`. */
const DESCRIPTOR = /^\/(?:dev\/fd|proc\/self\/fd)\/\d+$|^\/dev\/stdin$/;

/**
 * Opens a file to be read. While it is being read nothing else happens, also during a reload, so it must be one that ends: a named pipe
 * waits for a writer, and devices have no end. Pipes that a shell passes end with their command.
 *
 * @returns the descriptor, which the caller closes
 * @throws an error for {@link problemOf}
 */
export function openFile(path: string): number {
  const isPassed = DESCRIPTOR.test(path);
  const file = openSync(path, constants.O_RDONLY | (isPassed ? 0 : constants.O_NONBLOCK));
  try {
    const problem = unsuitable(fstatSync(file), isPassed);
    if (problem !== undefined) throw new UnsuitableFile(problem);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

function unsuitable(stats: Stats, isPassed: boolean): string | undefined {
  if (stats.isDirectory()) return 'is a directory';
  if (stats.isFIFO()) return isPassed ? undefined : 'is a named pipe, which cannot be read again after a reload';
  return stats.isFile() ? undefined : 'is neither a file nor a pipe';
}

const PIECE_BYTES = 65_536;

/**
 * Reads a text file in pieces, when they are requested.
 *
 * @throws an error for {@link problemOf}
 */
export function* textPieces(path: string): Generator<string> {
  const file = openFile(path);
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const buffer = Buffer.alloc(PIECE_BYTES);
    for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer)) {
      yield decoder.decode(buffer.subarray(0, length), { stream: true });
    }
    yield decoder.decode();
  } finally {
    closeSync(file);
  }
}

/** More than any configuration, certificate or password; the text is held in memory. */
const MAX_CHARACTERS = 16_777_216;

/**
 * Reads a text file.
 *
 * @returns its text, or the reason why it cannot be read
 */
export function readTextFile(path: string): { readonly text: string } | { readonly problem: string } {
  let text = '';
  try {
    for (const piece of textPieces(path)) {
      text += piece;
      if (text.length > MAX_CHARACTERS) return { problem: 'is larger than 16 MiB' };
    }
    return { text };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}
