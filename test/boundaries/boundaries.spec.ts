import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A file that breaks the rule, and what it imports; the imported file or package is made too. */
const SEEDED: Readonly<Record<string, readonly [file: string, imported: string]>> = {
  'no-app-to-app': ['apps/one/src/a.ts', 'apps/two/src/b.ts'],
  'no-lib-to-app': ['libs/metrics/src/a.ts', 'apps/two/src/b.ts'],
  'nobody-imports-src': ['apps/one/src/b.ts', 'src/a.ts'],
  'front-door-only': ['apps/one/src/c.ts', 'libs/metrics/src/inner.ts'],
  'front-door-only-between-libs': ['libs/ledger-gateway/src/a.ts', 'libs/asset-contract/src/inner.ts'],
  'no-testing-in-production': ['apps/one/src/d.ts', 'libs/socks5-protocol/src/testing/index.ts'],
  'lib-edges': ['libs/metrics/src/b.ts', 'libs/asset-contract/src/index.ts'],
  'gateway-edges': ['libs/ledger-gateway/src/ports/a.ts', 'libs/asset-contract/src/index.ts'],
  'ports-know-no-driver': ['libs/ledger-gateway/src/ports/b.ts', 'libs/ledger-gateway/src/drivers/embedded/a.ts'],
  'drivers-are-strangers': [
    'libs/ledger-gateway/src/drivers/fabric/a.ts',
    'libs/ledger-gateway/src/drivers/embedded/a.ts',
  ],
  'sdk-stays-home': ['apps/one/src/e.ts', 'fabric-network'],
  'chaincode-sdk-stays-home': ['libs/asset-contract/src/c.ts', 'fabric-shim'],
  'embedded-loads-no-grpc': ['libs/ledger-gateway/src/drivers/embedded/b.ts', '@grpc/grpc-js'],
  'codec-is-pure': ['libs/socks5-protocol/src/codec/a.ts', 'node:net'],
  'handshake-is-pure': ['libs/socks5-protocol/src/handshake/a.ts', 'node:net'],
  'contract-is-pure': ['libs/asset-contract/src/contract/a.ts', 'node:fs'],
  'libs-know-no-nest': ['libs/metrics/src/c.ts', '@nestjs/common'],
  'relay-is-bare': ['apps/proxy-client/src/relay/relay.ts', 'apps/proxy-client/src/forward/a.ts'],
  'http-is-pure': ['apps/proxy-client/src/http/a.ts', 'node:http'],
  'rules-are-pure': ['apps/proxy-client/src/rules/a.ts', 'node:fs'],
  'no-orphans': ['libs/metrics/src/orphan.ts', ''],
};

interface RuleSet {
  readonly forbidden: readonly { readonly name: string }[];
}

let tree: string;
let violations: { from: string; rule: { name: string } }[];

function write(path: string, text: string): void {
  mkdirSync(join(tree, dirname(path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

/** What stands in the import statement for a target that is a path of the tree, a core module or a package. */
function specifier(file: string, target: string): string {
  if (!target.endsWith('.ts')) return target;
  const up = dirname(file)
    .split('/')
    .map(() => '..')
    .join('/');
  return `${up}/${target.replace(/\.ts$/, '.js')}`;
}

function makePackage(name: string): void {
  write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
  write(`node_modules/${name}/index.js`, 'module.exports = {};\n');
}

function seed(): void {
  for (const target of Object.values(SEEDED).map(([, imported]) => imported)) {
    if (target.endsWith('.ts')) write(target, 'export const seeded = 1;\n');
    else if (target !== '' && !target.startsWith('node:')) makePackage(target);
  }
  for (const [file, target] of Object.values(SEEDED)) {
    write(
      file,
      target === '' ? 'const alone = 1;\n' : `import '${specifier(file, target)}';\nexport const seeded = 2;\n`,
    );
  }
  write('apps/one/src/round.ts', "import './about.js';\nexport const round = 1;\n");
  // Two folders that know each other by different files: no two files do.
  write('apps/proxy-client/src/upper/a.ts', "import '../lower/a.js';\nexport const a = 1;\n");
  write('apps/proxy-client/src/lower/a.ts', 'export const a = 1;\n');
  write('apps/proxy-client/src/lower/b.ts', "import '../upper/b.js';\nexport const b = 1;\n");
  write('apps/proxy-client/src/upper/b.ts', 'export const b = 1;\n');
  // No file is in a circle here, and specs may use what uses their folder.
  write('libs/ledger-gateway/src/above/a.ts', "import '../below/a.js';\nexport const a = 1;\n");
  write('libs/ledger-gateway/src/below/a.ts', 'export const a = 1;\n');
  write('libs/ledger-gateway/src/below/b.ts', "import '../above/b.js';\nexport const b = 1;\n");
  write('libs/ledger-gateway/src/above/b.ts', 'export const b = 1;\n');
  write('libs/ledger-gateway/src/below/c.spec.ts', "import '../tested/c.js';\nexport const c = 1;\n");
  write('libs/ledger-gateway/src/tested/c.ts', "import '../below/a.js';\nexport const c = 1;\n");
  write('apps/one/src/about.ts', "import './round.js';\nexport const about = 1;\n");
  const packages = [...new Set(Object.values(SEEDED).map(([, target]) => target))].filter(
    (target) => target !== '' && !target.endsWith('.ts') && !target.startsWith('node:'),
  );
  const dependencies = Object.fromEntries(packages.map((name) => [name, '1.0.0']));
  write('package.json', JSON.stringify({ name: 'seeded', type: 'module', dependencies }));
}

beforeAll(() => {
  const root = process.cwd();
  tree = realpathSync(mkdtempSync(join(tmpdir(), 'boundaries-')));
  seed();
  mkdirSync(join(tree, 'test'));
  for (const file of ['.dependency-cruiser.mjs', '.dependency-cruiser.folders.mjs', 'tsconfig.json']) {
    cpSync(join(root, file), join(tree, file));
  }
  violations = violationsOf('.dependency-cruiser.mjs', ['src', 'apps', 'libs', 'test']);
});

function violationsOf(config: string, folders: readonly string[]): typeof violations {
  const cli = join(process.cwd(), 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const output = execFileSync(process.execPath, [cli, ...folders, '--config', config, '--output-type', 'json'], {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return (JSON.parse(output) as { summary: { violations: typeof violations } }).summary.violations;
}

afterAll(() => {
  rmSync(tree, { recursive: true, force: true });
});

describe('the import rules', () => {
  it('have a seeded violation each', async () => {
    const rules = (await import(join(process.cwd(), '.dependency-cruiser.mjs'))) as { default: RuleSet };
    const names = rules.default.forbidden.map(({ name }) => name);
    expect(new Set([...Object.keys(SEEDED), 'no-circular', 'proxy-floors'])).toEqual(new Set(names));
  });

  it.each(Object.entries(SEEDED))('%s is caught', (name, [file]) => {
    expect(violations).toContainEqual(expect.objectContaining({ from: file, rule: expect.objectContaining({ name }) }));
  });

  it('proxy-floors is caught', () => {
    const folders = violations.filter(({ rule }) => rule.name === 'proxy-floors').map(({ from }) => from);
    expect(folders.sort()).toEqual(['apps/proxy-client/src/lower', 'apps/proxy-client/src/upper']);
  });

  it('floors is caught', () => {
    const folders = violationsOf('.dependency-cruiser.folders.mjs', ['src', 'apps', 'libs']).map(({ from }) => from);
    expect(folders.sort()).toEqual(['libs/ledger-gateway/src/above', 'libs/ledger-gateway/src/below']);
  });

  it('no-circular is caught', () => {
    const rules = violations.filter(({ from }) => from.startsWith('apps/one/src/')).map(({ rule }) => rule.name);
    expect(rules).toContain('no-circular');
  });
});
