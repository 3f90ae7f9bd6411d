import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { npmRun } from './npm-run.mjs';

const REPORTERS = ['--reporters', 'default', '--reporters', join(import.meta.dirname, 'count-reporter.mjs')];

/**
 * Runs Jest.
 *
 * @param specs the specs to run; all of the selected projects if undefined
 * @param env variables in addition to those of this process
 * @param run runs the script of package.json
 * @returns the exit code, what each spec did, and how many tests ran
 */
export async function jest(args, { specs, env = {}, run = npmRun } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  const files = { TEST_COUNTS: join(folder, 'counts.json'), TEST_LIST: join(folder, 'list.json') };
  if (specs !== undefined) writeFileSync(files.TEST_LIST, JSON.stringify(specs));
  const filter = specs === undefined ? [] : ['--filter', join(import.meta.dirname, 'listed.mjs')];
  const code = await run('jest', [...args, ...filter, ...REPORTERS], { ...process.env, ...env, ...files });
  const counts = existsSync(files.TEST_COUNTS) ? JSON.parse(readFileSync(files.TEST_COUNTS, 'utf8')) : [];
  rmSync(folder, { recursive: true });
  return { code, counts, tests: counts.reduce((sum, { passed, failed }) => sum + passed + failed, 0) };
}
