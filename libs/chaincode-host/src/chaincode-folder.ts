import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The folder of a chaincode for Node, which can be started. */
export interface ChaincodeFolder {
  /** Its real path. */
  readonly path: string;
  /** The command line of its fabric-shim. */
  readonly cli: string;
  /** The file that starts itself with the low-level interface of fabric-shim (`shim.start`); undefined for exported contracts. */
  readonly startFile?: string;
  /** The files and folders that its process may read. */
  readonly readable: readonly string[];
}

interface Manifest {
  readonly main?: unknown;
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/**
 * Checks that a folder contains a chaincode for Node that can be started.
 * @param dataDir - the ledger's directory, which no chaincode may read
 * @returns the reason, and what to do, if it cannot
 */
export function readChaincodeFolder(folder: string, dataDir: string): ChaincodeFolder | { readonly fault: string } {
  if (process.platform === 'win32') return { fault: 'this is Windows. Serve the chaincode and use its address.' };
  const path = existsSync(folder) ? realpathSync(folder) : resolve(folder);
  const readable = readablePaths(path);
  const cli = join(findPackage(path, 'fabric-shim') ?? '', 'cli.js');
  const startFile = startFileOf(path);
  const fault = faultOf(path, startFile) ?? shimFault(cli) ?? dataFault(readable, dataDir);
  return fault === undefined ? { path, cli, ...(startFile !== undefined && { startFile }), readable } : { fault };
}

/** A start script that is not fabric-chaincode-node's. */
const NODE_SCRIPT = /^\s*node\s+(?:--\s+)?([^\s-]\S*)\s*$/;

/** Returns the file that a package starts by itself, as chaincode without the contract API does. */
function startFileOf(path: string): string | undefined {
  const script = readManifest(path)?.scripts?.['start'];
  const [, file] = NODE_SCRIPT.exec(typeof script === 'string' ? script : '') ?? [];
  const found = file === undefined ? undefined : resolved(path, file);
  return found !== undefined && readFileSync(found, 'utf8').includes('.start(') ? found : undefined;
}

function faultOf(path: string, startFile: string | undefined): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return 'there is no such folder.';
  const manifest = readManifest(path);
  if (manifest === undefined) return 'it has no valid package.json.';
  const { main = 'index.js', dependencies = {} } = manifest;
  const missing = Object.keys(dependencies).find((each) => findPackage(path, each) === undefined);
  if (missing !== undefined) return `its dependency ${missing} is not installed. Run "npm install" there.`;
  if (startFile !== undefined || (typeof main === 'string' && resolved(path, main) !== undefined)) return undefined;
  return `"main" of its package.json (${JSON.stringify(main)}) is no file. Build the chaincode first.`;
}

function shimFault(cli: string): string | undefined {
  if (!isAbsolute(cli)) return 'it has no fabric-shim. Run "npm install fabric-shim" there.';
  return existsSync(cli) ? undefined : 'its fabric-shim has no cli.js. Use fabric-shim 2.2 or newer.';
}

function dataFault(readable: readonly string[], dataDir: string): string | undefined {
  const data = existsSync(dataDir) ? realpathSync(dataDir) : resolve(dataDir);
  const outer = readable.find((each) => isInside(data, each));
  return outer && `it could read the data of the ledger. Move LEDGER_DATA_DIR out of ${outer}.`;
}

function readManifest(path: string): Manifest | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    return typeof manifest === 'object' && manifest !== null ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the file that Node would load; undefined if there is none. */
function resolved(path: string, file: string): string | undefined {
  try {
    return createRequire(join(path, 'package.json')).resolve(join(path, file));
  } catch {
    return undefined;
  }
}

/** Returns the folder of an installed package, looked up as Node does it. */
function findPackage(path: string, name: string): string | undefined {
  const found = moduleFolders(path).find((each) => existsSync(join(each, name, 'package.json')));
  return found && realpathSync(join(found, name));
}

/** Returns the existing `node_modules` of a folder and of the folders around it. */
function moduleFolders(path: string): readonly string[] {
  const folder = join(path, 'node_modules');
  const outer = dirname(path) === path ? [] : moduleFolders(dirname(path));
  return existsSync(folder) ? [folder, ...outer] : outer;
}

/** The folder, the packages that it can load, and the packages elsewhere to which these link, as in an npm workspace. */
function readablePaths(path: string): readonly string[] {
  const folders = moduleFolders(path);
  const links = folders.flatMap((folder) => packagesIn(folder)).map((link) => realpathSync(link));
  return [...new Set([path, ...folders.map((folder) => realpathSync(folder)), ...links])];
}

/** Returns the packages in a `node_modules` that are symbolic links. */
function packagesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) return existsSync(path) ? [path] : [];
    return entry.name.startsWith('@') && entry.isDirectory() ? packagesIn(path) : [];
  });
}

function isInside(path: string, folder: string): boolean {
  const between = relative(folder, path);
  return between === '' || !(between === '..' || between.startsWith(`..${sep}`));
}
