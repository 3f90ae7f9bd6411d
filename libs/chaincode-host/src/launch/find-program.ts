import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { programDirectories } from './tool-environment.js';

/** Returns the path of a program: as it is named from a folder if that contains a slash, else found in PATH. */
export function findProgram(name: string, folder = process.cwd()): string | undefined {
  if (name.includes('/')) return executable(resolve(folder, name));
  return programDirectories()
    .map((directory) => executable(join(directory, name)))
    .find((found) => found !== undefined);
}

/** Returns the folder of a program's installation, whose `bin` it is in, or that of the program alone. */
export function installationOf(program: string): string {
  const folder = dirname(realpathSync(program));
  const outer = dirname(folder);
  return basename(folder) === 'bin' && outer !== homedir() && outer !== '/' ? outer : folder;
}

function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? path : undefined;
  } catch {
    return undefined;
  }
}
