// `npm run check:rules`: tests that the import rules and the lint rules find seeded violations. They are tested only when they, their
// tests or their linters have changed since the run whose hash is committed; the hash is written after a successful run.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const PASSED = 'test/boundaries/passed.sha256';
const FILES = [
  '.dependency-cruiser.mjs',
  '.oxlintrc.json',
  'eslint.config.mjs',
  'test/boundaries/boundaries-reporter.mjs',
  'test/boundaries/no-slice-on-bytes.mjs',
  'test/boundaries/boundaries.spec.ts',
  'test/boundaries/lint.spec.ts',
];
const LINTERS = [
  'dependency-cruiser',
  'eslint',
  'eslint-plugin-n',
  'eslint-plugin-redos',
  'eslint-plugin-svelte',
  'oxlint',
  'oxlint-tsgolint',
  'typescript',
  'typescript-eslint',
  'typescript-native',
];

const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const tested = [...FILES.map((file) => readFileSync(file, 'utf8')), ...LINTERS.map((name) => devDependencies[name])];
const hash = createHash('sha256').update(tested.join('\n')).digest('hex');

if (!existsSync(PASSED) || readFileSync(PASSED, 'utf8').trim() !== hash) {
  const { status } = spawnSync('npm run --silent jest -- --selectProjects rules', { shell: true, stdio: 'inherit' });
  if (status === 0) writeFileSync(PASSED, `${hash}\n`);
  else process.exitCode = 1;
}
