import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** For each rule a file that breaks it, and its import. The imported file or package is created too. */
const SEEDED: Readonly<Record<string, readonly [file: string, imported: string]>> = {
  'no-app-to-app': ['apps/one/src/a.ts', 'apps/two/src/b.ts'],
  'no-tool-to-app': ['src/tools/a.ts', 'apps/two/src/b.ts'],
  'no-lib-to-app': ['libs/metrics/src/a.ts', 'apps/two/src/b.ts'],
  'nobody-imports-src': ['apps/one/src/b.ts', 'src/a.ts'],
  'front-door-only': ['apps/one/src/c.ts', 'libs/metrics/src/inner.ts'],
  'front-door-only-between-libs': ['libs/ledger-gateway/src/a.ts', 'libs/asset-contract/src/inner.ts'],
  'no-testing-in-production': ['apps/one/src/d.ts', 'libs/socks5-protocol/src/testing/index.ts'],
  'lib-edges': ['libs/metrics/src/b.ts', 'libs/asset-contract/src/index.ts'],
  'asset-contract-edges': ['libs/asset-contract/src/d.ts', 'libs/logging/src/index.ts'],
  'ledger-library-edges': ['libs/ledger-library/src/a.ts', 'libs/chaincode-host/src/index.ts'],
  'records-contract-edges': ['libs/records-contract/src/a.ts', 'libs/asset-contract/src/index.ts'],
  'record-documents-edges': ['libs/record-documents/src/a.ts', 'libs/asset-contract/src/index.ts'],
  'fabric-codec-edges': ['libs/fabric-codec/src/a.ts', 'libs/ledger-gateway/src/index.ts'],
  'receipts-edges': ['libs/receipts/src/a.ts', 'libs/ledger-gateway/src/index.ts'],
  'ledger-gateway-edges': ['libs/ledger-gateway/src/b.ts', 'libs/asset-contract/src/index.ts'],
  'threads-edges': ['libs/threads/src/a.ts', 'libs/asset-contract/src/index.ts'],
  'chain-pages-edges': ['libs/chain-pages/src/a.ts', 'libs/embedded-ledger/src/index.ts'],
  'chain-index-edges': ['libs/chain-index/src/a.ts', 'libs/embedded-ledger/src/index.ts'],
  'mango-edges': ['libs/mango/src/b.ts', 'libs/asset-contract/src/index.ts'],
  'chaincode-host-edges': ['libs/chaincode-host/src/a.ts', 'libs/embedded-ledger/src/index.ts'],
  'ledger-config-edges': ['libs/ledger-config/src/a.ts', 'libs/embedded-ledger/src/index.ts'],
  'ledger-callers-edges': ['libs/ledger-callers/src/a.ts', 'libs/embedded-ledger/src/index.ts'],
  'signed-tree-edges': ['libs/signed-tree/src/a.ts', 'libs/embedded-ledger/src/index.ts'],
  'embedded-ledger-edges': ['libs/embedded-ledger/src/a.ts', 'libs/metrics/src/index.ts'],
  'fabric-ledger-edges': ['libs/fabric-ledger/src/a.ts', 'libs/embedded-ledger/src/index.ts'],
  'codec-has-no-io': ['libs/fabric-codec/src/b.ts', 'node:fs'],
  'transports-are-strangers': [
    'libs/fabric-ledger/src/transport-sdk/a.ts',
    'libs/fabric-ledger/src/transport-gateway/a.ts',
  ],
  'sdk-stays-home': ['apps/one/src/e.ts', 'fabric-network'],
  'chaincode-sdk-stays-home': ['libs/asset-contract/src/c.ts', 'fabric-shim'],
  'embedded-loads-no-grpc': ['libs/embedded-ledger/src/b.ts', '@grpc/grpc-js'],
  'codec-is-pure': ['libs/socks5-protocol/src/codec/a.ts', 'node:dgram'],
  'handshake-is-pure': ['libs/socks5-protocol/src/handshake/a.ts', 'node:net'],
  'contract-is-pure': ['libs/asset-contract/src/contract/a.ts', 'node:fs'],
  'libs-know-no-nest': ['libs/metrics/src/c.ts', '@nestjs/common'],
  'relay-is-bare': ['apps/proxy-client/src/relay/relay.ts', 'apps/proxy-client/src/forward/a.ts'],
  'http-is-pure': ['apps/proxy-client/src/http/a.ts', 'node:http'],
  'rules-are-pure': ['apps/proxy-client/src/routing/rules/a.ts', 'node:fs'],
  'no-orphans': ['libs/metrics/src/orphan.ts', ''],
};

interface RuleSet {
  readonly forbidden: readonly { readonly name: string }[];
}

let tree: string;
/** The lines `RULE: FROM → TO` of the report. */
let violations: string[];

function write(path: string, text: string): void {
  mkdirSync(join(tree, dirname(path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

/** Returns the specifier that imports a path of the tree, a core module or a package. */
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
  // Two folders that import each other, although no two files do.
  write('libs/ledger-gateway/src/above/a.ts', "import '../below/a.js';\nexport const a = 1;\n");
  write('libs/ledger-gateway/src/below/a.ts', 'export const a = 1;\n');
  write('libs/ledger-gateway/src/below/b.ts', "import '../above/b.js';\nexport const b = 1;\n");
  write('libs/ledger-gateway/src/above/b.ts', 'export const b = 1;\n');
  // A folder and the folder around it.
  write('libs/asset-contract/src/around/a.ts', "import './inner/a.js';\nexport const a = 1;\n");
  write('libs/asset-contract/src/around/inner/a.ts', 'export const a = 1;\n');
  write('libs/asset-contract/src/around/inner/b.ts', "import '../b.js';\nexport const b = 1;\n");
  write('libs/asset-contract/src/around/b.ts', 'export const b = 1;\n');
  // A spec may import what imports its folder.
  write('libs/ledger-gateway/src/below/c.spec.ts', "import '../tested/c.js';\nexport const c = 1;\n");
  write('libs/ledger-gateway/src/tested/c.ts', "import '../below/a.js';\nexport const c = 1;\n");
  write('apps/one/src/about.ts', "import './round.js';\nexport const about = 1;\n");
  // The page does not draw `users`, and draws the arrow from `relay` to `forward` the wrong way.
  write('apps/proxy-client/src/users/a.ts', "import '../http/a.js';\nexport const a = 1;\n");
  write(
    'docs/architecture.md',
    '## proxy-client\n\n  relay["relay"]\n  forward["forward"]\n  http["http"]\n  forward --> relay\n',
  );
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
  for (const file of ['.dependency-cruiser.mjs', 'tsconfig.json']) cpSync(join(root, file), join(tree, file));
  const cli = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const options = ['--config', '.dependency-cruiser.mjs', '--output-type'];
  const reporter = `plugin:${join(root, 'test/boundaries/boundaries-reporter.mjs')}`;
  const { stdout } = spawnSync(process.execPath, [cli, 'src', 'apps', 'libs', 'test', ...options, reporter], {
    cwd: tree,
    encoding: 'utf8',
  });
  violations = stdout.split('\n');
});

afterAll(() => {
  rmSync(tree, { recursive: true, force: true });
});

describe('the import rules', () => {
  it('have a seeded violation each', async () => {
    const rules = (await import(join(process.cwd(), '.dependency-cruiser.mjs'))) as { default: RuleSet };
    const names = rules.default.forbidden.map(({ name }) => name);
    expect(new Set([...Object.keys(SEEDED), 'no-circular'])).toEqual(new Set(names));
  });

  it.each(Object.entries(SEEDED))('%s is found', (name, [file]) => {
    expect(violations).toContainEqual(expect.stringContaining(`${name}: ${file} →`));
  });

  it('a cycle of files is found', () => {
    expect(violations).toContainEqual(expect.stringContaining('no-circular: apps/one/src/'));
  });

  it('docs/architecture.md is compared with the imports', () => {
    expect(violations.filter((line) => line.startsWith('architecture-page: '))).toEqual(
      expect.arrayContaining([
        'architecture-page: nothing is imported along forward --> relay',
        'architecture-page: apps/proxy-client/src/users is not drawn',
        'architecture-page: no arrow leads from apps/proxy-client/src/relay to apps/proxy-client/src/forward',
      ]),
    );
  });

  it('a cycle of folders is found, also between a folder and one in it', () => {
    expect(violations.filter((line) => line.startsWith('folder-cycle'))).toEqual([
      'folder-cycle: libs/asset-contract/src/around → libs/asset-contract/src/around/inner → libs/asset-contract/src/around',
      'folder-cycle: libs/ledger-gateway/src/above → libs/ledger-gateway/src/below → libs/ledger-gateway/src/above',
    ]);
  });
});
