// The commands for tests:
//   npm test                     the tests of what has changed since the main line; all tests in CI and without a change
//   npm run test:all             all tests; outside of CI without those of a program that has not changed
//   npm run test:unit -- PATH…   the tests that start no program
//   npm run test:e2e -- PATH…    the tests of running programs and of their pages
// The arguments are passed to Jest. `--built` skips the build, `--record` writes the seconds of long specs into test/durations.json
// (`npm run test:all -- --record`, on a machine that does nothing else). A run without any test fails.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import process from 'node:process';
import { changesSinceMainLine, Programs } from './changes.mjs';
import { jest } from './jest.mjs';
import { npmRun, npmRunHeld, npmRunOutput } from './npm-run.mjs';
import { durationsBy, needsBuild, selectForChange, selectForPrograms } from './selection.mjs';

const ROOT = join(import.meta.dirname, '../..');
const UNIT = ['unit', 'covered'];
const PROCESSES = ['e2e', 'pages'];
const COVERAGE = ['--config', 'jest.coverage.config.mjs', '--selectProjects', 'covered', '--maxWorkers', '1'];
const DURATIONS = join(ROOT, 'test/durations.json');
/** Shorter specs are not recorded. */
const RECORDED_SECONDS = 2;

/** Some tools set it to `false` to switch it off. */
const isCI = !['', '0', 'false', undefined].includes(process.env['CI']);

/** Lists specs, as paths from the root. */
async function listSpecs(...args) {
  const all = ['--selectProjects', ...UNIT, ...PROCESSES, '--listTests', '--json', ...args];
  const text = await npmRunOutput('jest', all);
  if (text === undefined) throw new Error(`Jest cannot list the tests: npm run jest -- ${all.join(' ')}`);
  return JSON.parse(text)
    .map((path) => relative(ROOT, path))
    .sort();
}

/** Ends this program with an error unless every part has succeeded and a test has run. */
function conclude(parts) {
  for (const { spec, missing } of parts.flatMap(({ counts = [] }) => counts)) {
    for (const name of missing) console.log(`Skipped in ${spec}: ${name}.`);
  }
  const hasRun = parts.some(({ tests = 0 }) => tests > 0);
  if (parts.some(({ code }) => code !== 0)) process.exitCode = 1;
  else if (!hasRun) {
    console.error('No test ran.');
    process.exitCode = 1;
  }
}

/** Writes the seconds of the specs that ran; of two specs with one name the longer counts. */
function record(parts) {
  const ran = parts.flatMap(({ counts = [] }) => counts).filter(({ seconds }) => seconds >= RECORDED_SECONDS);
  ran.sort((a, b) => a.seconds - b.seconds);
  const byName = new Map(ran.map(({ spec, seconds }) => [basename(spec), Math.round(seconds)]));
  const sorted = [...byName].sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

/** Runs all tests, or the given specs and the covered folders. Those are tested in a second process, with coverage. */
async function runAll({ args, isBuilt, isRecording, specs, alongside = [] }) {
  if (!isBuilt && (await npmRun('build')) !== 0) return conclude([{ code: 1 }]);
  const parts = await Promise.all([
    jest([...args, '--selectProjects', 'unit', ...PROCESSES], { specs }),
    jest(COVERAGE, { run: npmRunHeld }),
    ...alongside.map(async (script) => ({ code: await npmRunHeld(script) })),
  ]);
  if (isRecording) record(parts);
  conclude(parts);
}

/** Runs the tests of some projects of Jest. */
async function runProjects(projects, { args, isBuilt }) {
  if (!isBuilt && projects === PROCESSES && (await npmRun('build')) !== 0) return conclude([{ code: 1 }]);
  // The projects are last: as the first option they would take a path that follows for the name of a project.
  conclude([await jest([...args, '--selectProjects', ...projects])]);
}

/** The changes that decide what is tested; undefined if everything is. */
function changesToTest(programs) {
  if (isCI) return 'This is CI';
  const changes = changesSinceMainLine(ROOT);
  if (changes === undefined) return 'There is no commit in common with a main line';
  if (changes.files.length === 0) return `Nothing has changed since ${changes.mainLine}`;
  const shared = changes.files.find((file) => programs.isShared(file));
  return shared === undefined ? changes : `${shared} may concern every test`;
}

/** Runs the tests of the changes next to the check of the types. */
async function runChanged(options) {
  const programs = new Programs(ROOT);
  const changes = changesToTest(programs);
  if (typeof changes === 'string') {
    console.log(`${changes}: all tests run.`);
    return runAll({ ...options, alongside: ['check:types'] });
  }
  console.log(`${changes.files.length} changed files since ${changes.mainLine} (${changes.base.slice(0, 8)}).`);
  const types = npmRunHeld('check:types');
  const present = changes.files.filter((file) => existsSync(join(ROOT, file)));
  const [specs, related] = await Promise.all([
    listSpecs(),
    present.length === 0 ? [] : listSpecs('--findRelatedTests', ...present),
  ]);
  const selection = selectForChange({
    changed: changes.files,
    specs,
    related,
    text: (spec) => readFileSync(join(ROOT, spec), 'utf8'),
    seconds: durationsBy(JSON.parse(readFileSync(DURATIONS, 'utf8'))),
    programs: (file) => programs.of(file),
  });
  const { args, isBuilt } = options;
  const hasBuild = isBuilt || !needsBuild(selection.chosen) || (await npmRun('build')) === 0;
  const tested = hasBuild
    ? await jest([...args, '--selectProjects', ...UNIT, ...PROCESSES], { specs: selection.chosen })
    : { code: 1 };
  conclude([tested, { code: await types }]);
  printLeftOut(selection);
}

/** Prints what a run has left out, with the commands for it. */
function printLeftOut({ chosen, long, others }) {
  const named = (specs) => specs.map((spec) => basename(spec, '.ts')).join(' ');
  const lines = [
    ['long', 'test:unit', named(long.filter((spec) => !needsBuild([spec])))],
    ['long', 'test:e2e', named(long.filter((spec) => needsBuild([spec])))],
    ['of processes', 'test:e2e', others.join(' ')],
  ];
  console.log(`\nRan ${chosen.length} spec files and the check of types. Left out:`);
  for (const [what, script, list] of lines.filter(([, , names]) => names !== '')) {
    console.log(`  ${what.padEnd(13)} npm run ${script} -- ${list}`);
  }
  console.log('  all of these  npm run test:all\n  static checks npm run check:static (both: npm run check)');
}

/** Runs all tests but those of programs that have not changed. */
async function runConcerned(options) {
  const programs = new Programs(ROOT);
  const changes = changesToTest(programs);
  if (typeof changes === 'string') return runAll(options);
  const specs = await listSpecs();
  const { chosen, skipped, concerned } = selectForPrograms({
    changed: changes.files,
    specs,
    programs: (file) => programs.of(file),
  });
  await runAll(skipped === 0 ? options : { ...options, specs: chosen });
  if (skipped > 0) {
    console.log(`\nOnly ${concerned.join(', ')} has changed: ${skipped} spec files of other programs did not run.`);
    console.log('They run with CI=true npm test.');
  }
}

const [mode, ...rest] = process.argv.slice(2);
const own = new Set(['--built', '--record']);
const options = {
  args: rest.filter((argument) => !own.has(argument)),
  isBuilt: rest.includes('--built'),
  isRecording: rest.includes('--record'),
};
if (mode === 'unit') await runProjects(UNIT, options);
else if (mode === 'e2e') await runProjects(PROCESSES, options);
else if (mode === 'all') await runConcerned(options);
else await runChanged(options);
