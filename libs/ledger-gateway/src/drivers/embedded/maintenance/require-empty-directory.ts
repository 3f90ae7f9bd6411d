import { readdirSync } from 'node:fs';
import { MisconfiguredError } from '../../../errors/ledger.errors.js';
import { makeDirectory } from '../../../files/durable-files.js';

/**
 * Makes a directory, readable by its owner only, that nothing stands in yet.
 * @throws {@link MisconfiguredError} when something does, or it cannot be made
 */
export function requireEmptyDirectory(path: string): void {
  let entries: string[];
  try {
    makeDirectory(path);
    entries = readdirSync(path);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new MisconfiguredError(`${path} cannot be made or read (${code}): name another directory.`, { cause });
  }
  if (entries.length > 0) throw new MisconfiguredError(`${path} is not empty: name a new directory.`);
}
