import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { readRegularFileSync } from '#files';
import { readStartScript, resolveFile, type StartScript } from './start-script.js';
import { dataFault, type LaunchFault, type LaunchPlace, type LaunchPlan } from './launch-plan.js';

interface Manifest {
  readonly main?: unknown;
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Limit of the JavaScript heap. */
const HEAP_MIB = 256;

/** Returns how the chaincode of a Node package is started: by its fabric-shim, or by its own script, which dials its peer. */
export function planNodePackage(path: string, dataDir: string): LaunchPlan | LaunchFault {
  const readable = readablePaths(path);
  const cli = join(findPackage(path, 'fabric-shim') ?? '', 'cli.js');
  const manifest = readManifest(path);
  const script = readStartScript(path, manifest?.scripts?.['start']);
  const fault = faultOf(path, manifest, script) ?? shimFault(cli) ?? dataFault(readable, dataDir);
  if (fault !== undefined) return { fault };
  const node = (directory: string): string[] => [
    ...[process.execPath, '--permission', ...[...readable, directory].map((each) => `--allow-fs-read=${each}`)],
    ...[`--max-old-space-size=${HEAP_MIB}`, '--disable-warning=DeprecationWarning'],
  ];
  const common = { path, environment: { NODE_ENV: 'production' }, confinement: 'node', readable } as const;
  if (script !== undefined) {
    const { file, args, connect } = script;
    const command = ({ address, directory }: LaunchPlace) => [
      ...[...node(directory), file, ...args],
      ...(connect === 'dial' ? ['--peer.address', address] : []),
    ];
    // The client of fabric-shim connects to a host and a port only.
    return { ...common, connect, transport: 'tcp', command };
  }
  const command = ({ address, id, directory }: LaunchPlace) => [
    ...node(directory),
    ...[cli, 'server', `--chaincode-address=${address}`, `--chaincode-id=${id}`],
  ];
  return { ...common, connect: 'serve', transport: 'unix', command };
}

function faultOf(path: string, manifest: Manifest | undefined, script: StartScript | undefined): string | undefined {
  if (manifest === undefined) return 'it has no valid package.json.';
  const { main = 'index.js', dependencies = {} } = manifest;
  const missing = Object.keys(dependencies).find((each) => findPackage(path, each) === undefined);
  if (missing !== undefined) return `its dependency ${missing} is not installed. Run "npm install" there.`;
  if (script !== undefined || (typeof main === 'string' && resolveFile(path, main) !== undefined)) return undefined;
  return `"main" of its package.json (${JSON.stringify(main)}) is no file. Build the chaincode first.`;
}

function shimFault(cli: string): string | undefined {
  if (!isAbsolute(cli)) return 'it has no fabric-shim. Run "npm install fabric-shim" there.';
  return existsSync(cli) ? undefined : 'its fabric-shim has no cli.js. Use fabric-shim 2.2 or newer.';
}

function readManifest(path: string): Manifest | undefined {
  try {
    const manifest: unknown = JSON.parse(readRegularFileSync(join(path, 'package.json')));
    return typeof manifest === 'object' && manifest !== null ? manifest : undefined;
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
