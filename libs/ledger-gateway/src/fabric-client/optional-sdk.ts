import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { LedgerError } from '../errors/ledger.errors.js';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * Loads the part of a driver that needs packages of Fabric's, which an installed ledger-api comes without: they are large, and
 * only networks need them.
 *
 * @param packages - those it needs
 * @throws `LEDGER.MISCONFIGURED` that names the command when they are not there
 */
export async function loadWithSdk<Part>(packages: readonly string[], load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const versions = versionsWanted();
    const wanted = packages.map((name) => (versions[name] === undefined ? name : `${name}@${versions[name]}`));
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `Fabric's packages for Node are not installed here. Install them beside ledger-api, with -g if it was installed so: npm install ${wanted.join(' ')}`,
      { cause: error },
    );
  }
}

/** The versions that this program was tried with. */
function versionsWanted(): Readonly<Record<string, string>> {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) return {};
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  return { ...dependencies, ...peerDependencies };
}
