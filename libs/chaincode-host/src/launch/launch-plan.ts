import { existsSync, realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { readRegularFileSync } from '#files';
import type { Collection } from '../collections/collections.js';

/** The variable by which a process is recognized that a killed server has left. */
export const DIRECTORY_VARIABLE = 'CHAINCODE_RUN_DIRECTORY';

/** How the two sides of a stream meet: the chaincode listens and we dial, or the reverse. */
export type Connect = 'serve' | 'dial';

/** How the process of a chaincode is started. */
export interface LaunchPlan {
  /** The real path of its folder. */
  readonly path: string;
  /** The folder whose edits restart it, if its sources are not in its own folder only. */
  readonly sources?: string;
  readonly connect: Connect;
  /** `unix` is possible without any network. */
  readonly transport: 'unix' | 'tcp';
  /** Returns the command line: an absolute path of a program and its arguments. */
  readonly command: (place: LaunchPlace) => readonly string[];
  /** Variables besides those of every chaincode. */
  readonly environment: Readonly<Record<string, string>>;
  /** Node confines itself by its permission model, other programs are confined by bubblewrap. */
  readonly confinement: 'node' | 'bubblewrap';
  /** The files and folders that the process may read, besides the system's own. */
  readonly readable: readonly string[];
  /** The command that builds the program into a directory, in the folder. */
  readonly build?: (directory: string) => readonly string[];
}

/** The start of a chaincode, with its private collections. */
export interface FolderPlan extends LaunchPlan {
  readonly collections: readonly Collection[];
}

/** A chaincode that is served already. */
export interface ServedChaincode {
  /** As gRPC names it. */
  readonly address: string;
  /** The folder with its files, such as its indexes; undefined if it is not known. */
  readonly path: string | undefined;
}

/** A served chaincode, with its private collections. */
export interface ServedPlan extends ServedChaincode {
  readonly collections: readonly Collection[];
}

/** What a command line depends on: it changes with each start. */
export interface LaunchPlace {
  /** The address of the chaincode or of this peer, as gRPC names it. */
  readonly address: string;
  readonly id: string;
  /** The directory with its socket, which it may write. */
  readonly directory: string;
  /** The directory with what its build created. */
  readonly build: string;
}

/** Why a chaincode cannot be started, and what to do. */
export interface LaunchFault {
  readonly fault: string;
}

/** Returns the fault of a folder with the ledger's data below it, which the chaincode could read. */
export function dataFault(readable: readonly string[], dataDir: string): string | undefined {
  const data = existsSync(dataDir) ? realpathSync(dataDir) : resolve(dataDir);
  const outer = readable.find((each) => isInside(data, each));
  return outer && `it could read the data of the ledger. Move LEDGER_DATA_DIR out of ${outer}.`;
}

/** Returns whether a path is a folder or below it. */
export function isInside(path: string, folder: string): boolean {
  const between = relative(folder, path);
  return between === '' || !(between === '..' || between.startsWith(`..${sep}`));
}

/** Returns the text of a file; undefined when it cannot be read. */
export function readText(file: string): string | undefined {
  try {
    return readRegularFileSync(file);
  } catch {
    return undefined;
  }
}
