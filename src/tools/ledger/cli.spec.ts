import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '../../..');
const FROM_SOURCE = pathToFileURL(join(ROOT, 'libs/threads/src/run-from-source.mjs')).href;

/** Runs the tool for a command line; returns its output, and the packages that were loaded for it. */
function run(...argv: readonly string[]): { readonly output: string; readonly packages: readonly string[] } {
  const script = `
    import module from 'node:module';
    process.on('exit', () => {
      const packages = Object.keys(module._cache).map((path) => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(path)?.[1]);
      console.log('\\n' + JSON.stringify([...new Set(packages)].filter(Boolean).sort()));
    });
    process.argv.push(...${JSON.stringify(argv)});
    await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'main.ts')).href)});
  `;
  const output = execFileSync(
    process.execPath,
    ['--no-warnings', '--import', FROM_SOURCE, '--conditions=source', '--input-type=module', '--eval', script, 'main'],
    { encoding: 'utf8', cwd: ROOT },
  );
  const [packages = '[]', ...text] = output.trimEnd().split('\n').reverse();
  return { output: text.reverse().join('\n'), packages: JSON.parse(packages) as string[] };
}

it('prints help without loading Nest, rxjs or class-validator', () => {
  const { output, packages } = run('--help');
  expect(output).toMatch(/^Usage: npm run ledger -- /);
  // Commander is an ES module, which this list does not contain.
  expect(packages).toEqual([]);
});

it('prints the version of the installation', () => {
  expect(run('--version').output).toMatch(/^\d+\.\d+\.\d+/);
});
