import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the paths of the document begin; it says so in its text. */
const ROOTS = [
  '',
  'apps/ledger-api/src',
  'apps/ledger-api/pages',
  'apps/proxy-client/src',
  'libs/ledger-gateway/src',
  'libs/ledger-gateway/src/drivers/embedded',
  'libs/asset-contract/src',
];

describe('docs/architecture.md', () => {
  const named = readFileSync('docs/architecture.md', 'utf8').matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g);
  const paths = new Set([...named].map(([, path = '']) => path).filter((path) => path.includes('/')));

  it.each([...paths])('names %s, which is there', (path) => {
    expect(ROOTS.some((root) => existsSync(join(root, path)))).toBe(true);
  });
});
