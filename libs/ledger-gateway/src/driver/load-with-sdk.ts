import { testedVersions } from '#files';
import { misconfigured } from '../errors/ledger.errors.js';

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
