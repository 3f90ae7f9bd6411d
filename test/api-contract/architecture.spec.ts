import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders to which the paths in the document are relative. */
const ROOTS = [
  '',
  'apps/ledger-api/src',
  'apps/ledger-api/pages',
  'apps/proxy-client/src',
  'libs',
  'libs/asset-contract/src',
];

describe('docs/architecture.md', () => {
  const named = readFileSync('docs/architecture.md', 'utf8').matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g);
  const paths = new Set([...named].map(([, path = '']) => path).filter((path) => path.includes('/')));

  it.each([...paths])('names %s, which exists', (path) => {
    expect(ROOTS.some((root) => existsSync(join(root, path)))).toBe(true);
  });
});

describe('the files in deploy', () => {
  const named = globSync('deploy/**/*.{Dockerfile,yaml,yml}').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bdocs\/[\w./-]+\.md\b/g)].map(([page]) => [file, page] as const),
  );

  it.each(named)('%s names %s, which exists', (_file, page) => {
    expect(existsSync(page)).toBe(true);
  });
});
