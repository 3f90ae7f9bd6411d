import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { runTool } from '../../support/proxy/run-tool.js';

/** Go's installer puts it into the second place. */
const ACTIONLINT = [...(process.env['PATH'] ?? '').split(delimiter), join(homedir(), 'go/bin')]
  .map((folder) => join(folder, 'actionlint'))
  .find((file) => existsSync(file));

(ACTIONLINT === undefined ? describe.skip : describe)('the workflows, read by actionlint', () => {
  it('are valid', async () => {
    const files = globSync('.github/workflows/*.yml');
    expect(files).toHaveLength(2);
    expect(await runTool(ACTIONLINT!, files, { cwd: process.cwd() })).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('npm run release-notes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'release-'));
  const CHANGELOG = `# Changelog

## Unreleased

## 1.2.0 (2026-01-02)

### Added
- A thing.

## 1.1.0 (2026-01-01)

### Fixed
- Another.
`;

  beforeAll(() => {
    mkdirSync(join(directory, 'src'));
    cpSync('src/release-notes.mjs', join(directory, 'src/release-notes.mjs'));
    writeFileSync(join(directory, 'CHANGELOG.md'), CHANGELOG);
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  async function notes(version: string, ...args: readonly string[]) {
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ version, type: 'module' }));
    return runTool(process.execPath, ['src/release-notes.mjs', ...args], { cwd: directory });
  }

  it('prints the section of the version', async () => {
    expect(await notes('1.2.0', '1.2.0')).toEqual({ code: 0, stdout: '### Added\n- A thing.\n', stderr: '' });
  });

  it.each([
    ['1.2.0', ['1.1.0'], 1, 'package.json has the version 1.2.0, not 1.1.0.'],
    ['1.3.0', ['1.3.0'], 1, 'CHANGELOG.md has no section "## 1.3.0 (DATE)".'],
    ['1.2.0', [], 2, 'name the version, such as 0.3.0'],
  ])('of package.json %s and the arguments %j ends with %d', async (version, args, code, message) => {
    expect(await notes(version, ...args)).toEqual({ code, stdout: '', stderr: `release-notes: ${message}\n` });
  });
});
