import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { secretsOf } from './secrets-of-etc.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'secrets-of-etc-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function files(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
}

const below = (paths: readonly string[]): readonly string[] => paths.map((path) => path.slice(root.length + 1)).sort();

describe('secretsOf', () => {
  it('finds what not every user can read', () => {
    files('open', 'shadow', 'ssl/certs/a.pem', 'ssl/private/a.key', 'deep/er/secret');
    for (const path of ['shadow', 'deep/er/secret']) chmodSync(join(root, path), 0o640);
    chmodSync(join(root, 'ssl/private'), 0o700);
    symlinkSync(join(root, 'shadow'), join(root, 'link'));
    const { files: found, directories } = secretsOf(root);
    expect([below(found), below(directories)]).toEqual([['deep/er/secret', 'shadow'], ['ssl/private']]);
  });
});
