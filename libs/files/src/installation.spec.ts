import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedVersion, toolCommand } from './installation.js';

it('names the scripts of the workspace and its version', () => {
  const workspace = readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8');
  expect(installedVersion()).toBe((JSON.parse(workspace) as { version: string }).version);
  expect([toolCommand('ledger'), toolCommand('identity')]).toEqual(['npm run ledger --', 'npm run identity --']);
});
