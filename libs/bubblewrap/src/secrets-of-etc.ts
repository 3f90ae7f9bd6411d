import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files and directories of a tree that hold secrets. */
export interface Secrets {
  readonly files: readonly string[];
  readonly directories: readonly string[];
}

const READ_BY_OTHERS = 0o004;
const LISTED_BY_OTHERS = 0o005;

/**
 * Finds what this user can read in a directory such as /etc, but not every user: password hashes, private keys, credentials. Programs
 * work without it, because they run for every user. As root this finds all secrets, and for other users those of their groups.
 */
export function secretsOf(directory: string): Secrets {
  const files: string[] = [];
  const directories: string[] = [];
  const search = (from: string): void => {
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      const path = join(from, entry.name);
      const isDirectory = entry.isDirectory();
      if (!isDirectory && !entry.isFile()) continue;
      const mode = modeOf(path);
      if (mode === undefined) continue;
      const needed = isDirectory ? LISTED_BY_OTHERS : READ_BY_OTHERS;
      if ((mode & needed) !== needed) (isDirectory ? directories : files).push(path);
      else if (isDirectory) search(path);
    }
  };
  search(directory);
  return { files, directories };
}

/** Returns the permissions of a file or directory; undefined if this user cannot read it. */
function modeOf(path: string): number | undefined {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).mode;
  } catch {
    return undefined;
  }
}
