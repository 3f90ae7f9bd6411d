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
  const file = findPackageJSON(import.meta.url);
  return file === undefined
    ? 'unknown'
    : (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
