import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const LIBRARY = join(import.meta.dirname, '..');
const FROM_SOURCE = pathToFileURL(join(LIBRARY, '../../threads/src/run-from-source.mjs')).href;

/** Packages that a process has loaded once it has imported the modules. */
function packagesLoadedBy(...modules: string[]): string[] {
  const imports = modules.map((path) => `await import(${JSON.stringify(pathToFileURL(join(LIBRARY, path)).href)});`);
  const script = `
    import module from 'node:module';
    ${imports.join('\n')}
    const packages = Object.keys(module._cache).map((path) => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(path)?.[1]);
    console.log(JSON.stringify([...new Set(packages)].filter(Boolean).sort()));
  `;
  const output = execFileSync(
    process.execPath,
    ['--no-warnings', '--import', FROM_SOURCE, '--input-type=module', '--eval', script],
    { encoding: 'utf8' },
  );
  return JSON.parse(output) as string[];
}

describe('fabric-codec', () => {
  it('loads no packages: neither generated messages nor gRPC', () => {
    const packages = packagesLoadedBy(
      'describe/describe-transaction.ts',
      'verify/chain-verifier.ts',
      'encode/config-block.ts',
    );
    expect(packages).toEqual([]);
  });
});
