import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

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

/** Returns the versions of packages that this program was tested with. */
export function testedVersions(): Readonly<Record<string, string>> {
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
