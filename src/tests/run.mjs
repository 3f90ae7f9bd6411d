// The commands for tests:
//   npm test                     the tests of what has changed since the main line; all of them in CI and without a change
//   npm run test:all             all tests; on a developer's machine without those of a program that has not changed
//   npm run test:unit -- PATH…   the tests that start no program
//   npm run test:e2e -- PATH…    the tests of running programs and of their pages
// The arguments are passed to Jest. `--built` skips the build. A run without any test fails.
// `npm run test:all -- --record` writes the seconds of the long specs into test/durations.json, on a machine that does nothing else.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import process from 'node:process';
import { changesSinceMainLine, Programs } from './changes.mjs';
import { durationsBy, needsBuild, selectForChange, selectForPrograms } from './selection.mjs';

const ROOT = join(import.meta.dirname, '../..');
const UNIT = ['unit', 'covered'];
const PROCESSES = ['e2e', 'pages'];
const DURATIONS_FILE = join(ROOT, 'test/durations.json');
const DURATIONS = durationsBy(JSON.parse(readFileSync(DURATIONS_FILE, 'utf8')));
/** Shorter specs are not recorded. */
const RECORDED_SECONDS = 2;
const COVERAGE = ['--config', 'jest.coverage.config.mjs', '--selectProjects', 'covered'];

/** `false` and an empty value are what some tools set to switch it off. */
const isCI = !['', 'false', '0', undefined].includes(process.env['CI']);

/**
 * Runs a script of package.json.
 *
 * @param isHeld collects its output and prints it at the end, for a script that runs next to another one
 * @returns its exit code and what it wrote to standard output
 */
async function npmRun(script, args = [], { isHeld = false, isQuiet = false, env = process.env } = {}) {
  const own = process.env['npm_execpath'];
  const [command, first] = own ? [process.execPath, [own]] : ['npm', []];
  const stdio = ['inherit', isHeld || isQuiet ? 'pipe' : 'inherit', isHeld ? 'pipe' : 'inherit'];
  const options = { cwd: ROOT, env, stdio, shell: !own && process.platform === 'win32' };
  const child = spawn(command, [...first, 'run', '--silent', script, '--', ...args], options);
  const output = [];
  const text = [];
  child.stdout?.on('data', (chunk) => text.push(chunk) && output.push(chunk));
  child.stderr?.on('data', (chunk) => output.push(chunk));
  const code = await new Promise((resolve) =>
    child.on('error', () => resolve(1)).on('close', (status) => resolve(status ?? 1)),
  );
  if (isHeld) process.stderr.write(Buffer.concat(output));
  return { code, text: Buffer.concat(text).toString() };
}

/**
 * Runs Jest, and counts the tests.
 *
 * @param specs the specs to run; all of the selected projects if undefined
 */
async function jest(args, { specs, ...options } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  const counts = join(folder, 'counts.json');
  const list = join(folder, 'list.json');
  if (specs !== undefined) writeFileSync(list, JSON.stringify(specs));
  const filter = specs === undefined ? [] : ['--filter', join(import.meta.dirname, 'listed.mjs')];
  const reporters = ['--reporters', 'default', '--reporters', join(import.meta.dirname, 'count-reporter.mjs')];
  const env = { ...process.env, TEST_COUNTS: counts, TEST_LIST: list };
  const { code } = await npmRun('jest', [...args, ...filter, ...reporters], { ...options, env });
  const counted = existsSync(counts) ? JSON.parse(readFileSync(counts, 'utf8')) : { tests: 0, seconds: [] };
  rmSync(folder, { recursive: true });
  return { code, ...counted };
}

/** Lists specs, as paths from the root. */
async function listSpecs(args) {
  const { code, text } = await npmRun(
    'jest',
    ['--selectProjects', ...UNIT, ...PROCESSES, '--listTests', '--json', ...args],
    {
      isQuiet: true,
    },
  );
  if (code !== 0) throw new Error('Jest cannot list the tests.');
  return JSON.parse(text)
    .map((path) => relative(ROOT, path))
    .sort();
}

/** Ends this program with an error unless every part succeeded and a test ran. */
function conclude(parts) {
  const tests = parts.reduce((sum, part) => sum + (part.tests ?? 0), 0);
  if (parts.some(({ code }) => code !== 0)) process.exitCode = 1;
  else if (tests === 0) {
    console.error('No test ran.');
    process.exitCode = 1;
  }
}

/** Writes the seconds of the specs that ran; of two specs with one name the longer counts. */
function record(parts) {
  const seconds = parts.flatMap((part) => part.seconds ?? []).sort(([, a], [, b]) => a - b);
  const long = new Map(
    seconds.filter(([, time]) => time >= RECORDED_SECONDS).map(([name, time]) => [name, Math.round(time)]),
  );
  const byName = [...long].sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(DURATIONS_FILE, `${JSON.stringify(Object.fromEntries(byName), null, 2)}\n`);
}

async function build(isBuilt) {
  return isBuilt ? { code: 0 } : npmRun('build');
}

/** Runs all tests; the covered folders are tested in a second process, with coverage. */
async function runAll({ args, isBuilt, specs, parts = [] }) {
  const built = await build(isBuilt);
  if (built.code !== 0) return conclude([built]);
  const finished = await Promise.all([
    ...parts.map((script) => npmRun(script, [], { isHeld: true })),
    jest([...args, '--selectProjects', 'unit', ...PROCESSES], { specs }),
    jest([...COVERAGE, '--maxWorkers', '1'], { isHeld: true }),
  ]);
  if (isRecording) record(finished);
  conclude(finished);
}

/** Runs the tests of the projects that the arguments select. */
async function runProjects(projects, args, isBuilt) {
  const built = await build(isBuilt || projects === UNIT);
  if (built.code !== 0) return conclude([built]);
  conclude([await jest([...args, '--selectProjects', ...projects])]);
}

/** The changes that decide what is tested; undefined if everything must be. */
function changesToTest() {
  if (isCI) return undefined;
  const changes = changesSinceMainLine(ROOT);
  return changes === undefined || changes.files.length === 0 ? undefined : changes;
}

/** Runs the tests of the changes next to the check of the types. */
async function runChanged(args, isBuilt) {
  const changes = changesToTest();
  const programs = new Programs(ROOT);
  const shared = changes?.files.filter((file) => programs.isShared(file)) ?? [];
  if (changes === undefined || shared.length > 0) {
    const why = shared.length > 0 ? `${shared[0]} may concern every test` : 'nothing has changed, or this is CI';
    console.log(`All tests: ${why}.`);
    return runAll({ args, isBuilt, parts: ['check:types'] });
  }
  const types = npmRun('check:types', [], { isHeld: true });
  const present = changes.files.filter((file) => existsSync(join(ROOT, file)));
  const [specs, related] = await Promise.all([
    listSpecs([]),
    present.length === 0 ? [] : listSpecs(['--findRelatedTests', ...present]),
  ]);
  const of = (file) => programs.of(file);
  const selection = selectForChange({ changed: changes.files, specs, related, seconds: DURATIONS, programs: of });
  console.log(`${changes.files.length} files changed since ${changes.mainLine} (${changes.base.slice(0, 8)}).`);
  const built = await build(isBuilt || !needsBuild(selection.chosen));
  if (built.code !== 0) return conclude([built, await types]);
  const ran = jest([...args, '--selectProjects', ...UNIT, ...PROCESSES], { specs: selection.chosen });
  conclude([await ran, await types]);
  printLeftOut(selection);
}

/** Prints what a run left out, with the commands for it. */
function printLeftOut({ chosen, long, others }) {
  console.log(`\nRan ${chosen.length} spec files and the check of types. Left out:`);
  const unit = long.filter((spec) => !needsBuild([spec]));
  const processes = long.filter((spec) => needsBuild([spec]));
  if (unit.length > 0) console.log(`  long ones:     npm run test:unit -- ${unit.map(nameOf).join(' ')}`);
  if (processes.length > 0) console.log(`  long ones:     npm run test:e2e -- ${processes.map(nameOf).join(' ')}`);
  if (others.length > 0) console.log(`  of processes:  npm run test:e2e -- ${others.join(' ')}`);
  console.log('  all of these:  npm run test:all');
  console.log('  static checks: npm run check:static (all of both: npm run check)');
}

function nameOf(spec) {
  return basename(spec).replace(/\.ts$/, '');
}

/** Runs all tests but those of programs that have not changed. */
async function runConcerned(args, isBuilt) {
  const changes = changesToTest();
  const programs = new Programs(ROOT);
  if (changes === undefined || changes.files.some((file) => programs.isShared(file))) return runAll({ args, isBuilt });
  const specs = await listSpecs([]);
  const { chosen, skipped, concerned } = selectForPrograms({
    changed: changes.files,
    specs,
    programs: (file) => programs.of(file),
  });
  if (skipped === 0) return runAll({ args, isBuilt });
  await runAll({ args, isBuilt, specs: chosen });
  console.log(
    `\nOnly ${concerned.join(', ')} has changed: left out ${skipped} spec files of other programs (CI=true npm test runs them).`,
  );
}

const [mode, ...rest] = process.argv.slice(2);
const isBuilt = rest.includes('--built');
const isRecording = rest.includes('--record');
const args = rest.filter((argument) => !['--built', '--record'].includes(argument));
if (mode === 'unit') await runProjects(UNIT, args, isBuilt);
else if (mode === 'e2e') await runProjects(PROCESSES, args, isBuilt);
else if (mode === 'all') await runConcerned(args, isBuilt);
else await runChanged(args, isBuilt);
