import { existsSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';

/** Why a file cannot be protected. Its message is one line for the user. */
export class UnprotectedFileError extends Error {}

/**
 * Returns the real paths of the files that exist.
 *
 * @param writable - the absolute directories that the command may change
 * @throws {@link UnprotectedFileError} for a symbolic link in such a directory, which could be replaced, and for a hard link
 */
export function protectedFiles(files: Iterable<string>, writable: readonly string[]): readonly string[] {
  const paths = [...files]
    .map((file) => resolve(file))
    .filter((file) => existsSync(file))
    .map((file) => {
      const real = followLinks(file, writable);
      const isExposed = writable.some((directory) => isBelow(real, directory));
      if (isExposed && statSync(real).nlink > 1) {
        throw new UnprotectedFileError(
          `${real} is a hard link: the command could change the configuration by another of its names. Copy the file.`,
        );
      }
      return real;
    });
  return [...new Set(paths)];
}

/**
 * Returns the directories between writable directories and protected paths below them, parents first. Each must be a mount of its own,
 * which cannot be renamed: otherwise a command could rename a directory and create another one.
 */
export function directoriesToPin(paths: Iterable<string>, writable: readonly string[]): readonly string[] {
  const pinned = new Set<string>();
  for (const path of paths) {
    const root = writable.filter((directory) => isBelow(path, directory)).sort((a, b) => b.length - a.length)[0];
    if (root === undefined) continue;
    for (let parent = dirname(path); isBelow(parent, root) && parent !== root; parent = dirname(parent))
      pinned.add(parent);
  }
  return [...pinned].sort((a, b) => a.length - b.length);
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
