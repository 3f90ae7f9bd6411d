import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { misconfigured } from '../errors/ledger.errors.js';

/** An installed package has its code in `dist/lib`, and has no npm scripts. */
const IS_PACKAGE = /[\\/]dist[\\/]lib$/.test(import.meta.dirname);

/** Returns the command that runs a tool, as a user of this installation types it. */
export function toolCommand(tool: 'ledger' | 'identity'): string {
  if (!IS_PACKAGE) return `npm run ${tool} --`;
  return tool === 'ledger' ? 'ledger-tool' : 'ledger-identity';
}

/** Returns the version of the installed package, or of the workspace. */
export function installedVersion(): string {
  return readManifest().version ?? 'unknown';
}

/**
 * Loads a module that needs packages of Fabric. An installed ledger-api does not contain them: they are large, and only
 * networks need them.
 * @throws `LEDGER.MISCONFIGURED` with the command that installs them
 */
export async function loadWithSdk<Module>(packages: readonly string[], load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const versions = testedVersions();
    const wanted = packages.map((name) => (versions[name] === undefined ? name : `${name}@${versions[name]}`));
    const text = "Fabric's packages for Node are not installed. Install them where ledger-api is installed";
    throw misconfigured(`${text} (with -g if it is global): npm install ${wanted.join(' ')}`, cause);
  }
}

/** Returns the versions that this program was tested with. */
function testedVersions(): Readonly<Record<string, string>> {
  const { dependencies, peerDependencies } = readManifest();
  return { ...dependencies, ...peerDependencies };
}

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Reads the package.json of the installed package, or of the workspace. */
function readManifest(): Manifest {
  const file = findPackageJSON(import.meta.url);
  return file === undefined ? {} : (JSON.parse(readFileSync(file, 'utf8')) as Manifest);
}
