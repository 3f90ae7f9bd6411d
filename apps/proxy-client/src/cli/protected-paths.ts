import { existsSync, readlinkSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

/** Why a file cannot be protected. Its message is one line for the user. */
export class UnprotectedFileError extends Error {}

/**
 * Returns the paths to mount read-only so that a command cannot change certain files: a file of a writable directory, or the directory
 * directly below it that contains the file, because a parent directory could be renamed.
 *
 * @param writable - the absolute directories that the command may change
 * @throws {@link UnprotectedFileError} for a symbolic link in such a directory, which could be replaced, and for a hard link
 */
export function protectedPaths(files: Iterable<string>, writable: readonly string[]): readonly string[] {
  const paths = [...files]
    .map((file) => resolve(file))
    .filter((file) => existsSync(file))
    .flatMap((file) => {
      const real = followLinks(file, writable);
      const places = writable.filter((directory) => isBelow(real, directory));
      if (places.length > 0 && statSync(real).nlink > 1) {
        throw new UnprotectedFileError(
          `${real} is a hard link: the command could change the configuration by another of its names. Copy the file.`,
        );
      }
      return places.map((directory) => join(directory, relative(directory, real).split(sep)[0] ?? ''));
    });
  return [...new Set(paths)];
}

/** Returns whether an absolute path is a directory or below it. */
export function isBelow(path: string, directory: string): boolean {
  const parent = directory === '/' ? '/' : `${directory}/`;
  return `${path}/`.startsWith(parent);
}

function followLinks(path: string, writable: readonly string[]): string {
  let current = '/';
  for (const name of path.split(sep).filter(Boolean)) {
    const next = join(current, name);
    const link = linkOf(next);
    if (link !== undefined && writable.some((directory) => isBelow(next, directory))) {
      throw new UnprotectedFileError(
        `${next} is a symbolic link that the command could replace, and the configuration is read through it. Name the file itself.`,
      );
    }
    current = link === undefined ? next : followLinks(resolve(current, link), writable);
  }
  return current;
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // No link, or not there.
    return undefined;
  }
}
