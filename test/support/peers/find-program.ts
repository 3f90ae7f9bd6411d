import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The directories of servers and their helpers on Debian that are not in the PATH of ordinary users. */
const SERVER_DIRECTORIES = ['/usr/sbin', '/usr/local/sbin', '/sbin', '/usr/lib/squid'];

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The file of a program: named by an environment variable, or the first of its names found on PATH and in the directories of
 * servers.
 *
 * @returns undefined when it is not on this machine
 */
export function findProgram(variable: string, ...names: readonly string[]): string | undefined {
  const named = process.env[variable];
  if (named !== undefined && named !== '') return isExecutable(named) ? named : undefined;
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), ...SERVER_DIRECTORIES];
  return names.flatMap((name) => directories.map((directory) => join(directory, name))).find(isExecutable);
}
