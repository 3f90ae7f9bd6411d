import { accessSync, constants, lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

// The errors with which later writes would fail, for checks that may write nothing.

const { R_OK, W_OK, X_OK } = constants;

/** Returns the code of the error with which opening a file for writing, or creating it, would fail; undefined for none. */
export function openingFault(path: string): string | undefined {
  const fault = faultOf(() => {
    if (statSync(path).isDirectory()) return 'EISDIR';
    accessSync(path, R_OK | W_OK);
    return undefined;
  });
  return fault === 'ENOENT' ? creationFault(path) : fault;
}

/** Returns the code of the error with which creating a missing file would fail: that of a link is created where it points. */
function creationFault(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true)
    return directoryFault(dirname(resolve(path)));
  const target = resolve(dirname(path), readlinkSync(path));
  return faultOf(() => {
    // The system creates no directories on the way to it.
    statSync(dirname(target));
    return openingFault(target);
  });
}

/** Returns the code of the error with which replacing a file by a new one would fail; undefined for none. */
export function replacingFault(path: string): string | undefined {
  const fault = directoryFault(dirname(resolve(path)));
  const isDirectory = (): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return fault ?? (isDirectory() ? 'EISDIR' : undefined);
}

/** Returns the code of the error with which creating a file in a directory, or the directory, would fail; undefined for none. */
export function directoryFault(path: string): string | undefined {
  const fault = faultOf(() => {
    if (!statSync(path).isDirectory()) return 'ENOTDIR';
    accessSync(path, R_OK | W_OK | X_OK);
    return undefined;
  });
  // A link to nothing can be opened by no one.
  const isMissing = fault === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false }) === undefined;
  return isMissing ? directoryFault(dirname(resolve(path))) : fault;
}

function faultOf(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
