// npm run test:night -- [--steps peers,fuzz,…] [--short]
// The tests that need hours, real peers or a quiet machine. Prints one table at the end, in which what cannot run is skipped by name.
// --short runs every step with few repetitions, to try it.
import { globSync, readFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { basename, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { jest } from './jest.mjs';
import { npmRun } from './npm-run.mjs';

const ROOT = join(import.meta.dirname, '../..');
const SCRIPTS = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts;
const LARGEST_SEED = 2 ** 31;

const { values } = parseArgs({ options: { steps: { type: 'string' }, short: { type: 'boolean', default: false } } });
const isShort = values.short;

/** A row of the table. */
function row(step, what, { passed = 0, failed = 0, skipped = 0, seconds = 0, note = '' }) {
  return { step, what, passed, failed, skipped, seconds, note };
}

/** Runs specs; a row for each, or one for all. */
async function specRows(step, args, { what, env } = {}) {
  const { code, counts, tests } = await jest(args, { env });
  const rows = counts.map((each) => ({ ...each, note: each.missing.map((name) => `skipped: ${name}`).join('; ') }));
  // A run that ends without a result, or without any test that ran or was skipped by name, is a failure.
  const isLost = counts.length === 0 || (code !== 0 && counts.every(({ failed }) => failed === 0));
  if (isLost) return [row(step, what ?? args.join(' '), { failed: 1, note: `no result, exit code ${code}` })];
  if (what === undefined) return rows.map((each) => row(step, nameOf(each.spec), each)).sort(byName);
  const sum = (key) => rows.reduce((total, each) => total + each[key], 0);
  const failing = rows.filter(({ failed }) => failed > 0).map(({ spec }) => nameOf(spec));
  const note = tests === 0 ? rows.map((each) => each.note).join('; ') || 'no test ran' : failing.join(', ');
  return [
    row(step, what, {
      passed: sum('passed'),
      failed: sum('failed'),
      skipped: sum('skipped'),
      seconds: sum('seconds'),
      note,
    }),
  ];
}

function byName(a, b) {
  return a.what < b.what ? -1 : 1;
}

function nameOf(spec) {
  return basename(spec).replace(/\.(?:interop-|e2e-)?spec\.ts$/, '');
}

/** Returns a regular expression for the specs that contain a text; their folders may move. */
function specsWith(text, folders) {
  const specs = globSync(folders, { cwd: ROOT }).filter((spec) => text.test(readFileSync(join(ROOT, spec), 'utf8')));
  return specs.map((spec) => spec.replaceAll('.', String.raw`\.`)).join('|');
}

/** Real servers, clients, browsers, Fabric networks: what is not on this machine is skipped by its spec. */
async function peers() {
  const some = isShort ? ['--testPathPatterns', 'socks5', 'proxy-upstreams', 'request-limits-redis', 'fabric-api'] : [];
  const seed = String(randomInt(LARGEST_SEED));
  return specRows('peers', ['--selectProjects', 'interop', '--runInBand', ...some], { env: { CHAINCODE_SEED: seed } });
}

/** The random cases of the gate are the same in every run; here each round has others. */
async function fuzz() {
  const rows = [];
  const pattern = specsWith(/fast-check|FUZZ_RUNS/, '{apps,libs,src}/**/*.spec.ts');
  for (let round = 0; round < (isShort ? 1 : 10); round += 1) {
    const env = { FUZZ_SEED: String(randomInt(LARGEST_SEED)), FUZZ_RUNS: isShort ? '2000' : '20000' };
    const what = `FUZZ_SEED=${env.FUZZ_SEED} FUZZ_RUNS=${env.FUZZ_RUNS}`;
    rows.push(
      ...(await specRows('fuzz', ['--selectProjects', 'unit', 'covered', '--testPathPatterns', pattern], {
        what,
        env,
      })),
    );
  }
  return rows;
}

/** Runs one spec of the gate with more repetitions. */
async function repeated(step, spec, env) {
  const what = Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
  return specRows(step, ['--selectProjects', 'e2e', '--testPathPatterns', spec], { what, env });
}

/** The programs on the oldest Node that they support; its warning that SQLite is experimental is no output of ours. */
async function oldest() {
  const env = {
    PROGRAM_NODE: join(ROOT, 'test/registry/node_modules/node-22/bin/node'),
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --disable-warning=ExperimentalWarning`,
  };
  const some = isShort ? ['--testPathPatterns', 'lifecycle|find'] : [];
  return specRows('oldest', ['--selectProjects', 'e2e', ...some], { what: 'e2e on Node 22.20', env });
}

/** File systems without free space; they need the right to mount one. */
async function disks() {
  const pattern = specsWith(/small-disk\.js/, 'test/e2e/**/*.e2e-spec.ts');
  return specRows('disks', ['--selectProjects', 'e2e', '--testPathPatterns', pattern]);
}

/** Compares the ratios of the benchmarks with the last kept run. */
async function bench() {
  if (SCRIPTS['bench:guard'] === undefined)
    return [row('bench', 'bench:guard', { skipped: 1, note: 'skipped: there is no script bench:guard' })];
  const started = performance.now();
  const code = await npmRun('bench:guard');
  const seconds = (performance.now() - started) / 1000;
  return [row('bench', 'bench:guard', { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, seconds })];
}

const STEPS = {
  peers,
  fuzz,
  chaos: () => repeated('chaos', 'chaos', { CHAOS_CONNECTIONS: isShort ? '1000' : '4000' }),
  kerberos: () => repeated('kerberos', 'proxy-client/kerberos', { KERBEROS_REQUESTS: isShort ? '60' : '600' }),
  kill: () => repeated('kill', 'ledger-crash', { LEDGER_KILLS: isShort ? '20' : '200' }),
  disks,
  oldest,
  bench,
};

function print(rows) {
  const cells = rows.map(({ step, what, passed, failed, skipped, seconds, note }) => {
    return [step, what, String(passed), String(failed), String(skipped), seconds.toFixed(0), note];
  });
  const table = [['step', 'what', 'passed', 'failed', 'skipped', 's', ''], ...cells];
  const widths = table[0].map((_, column) => Math.max(...table.map((line) => line[column].length)));
  for (const line of table)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}

const names = values.steps?.split(',') ?? Object.keys(STEPS);
const unknown = names.filter((name) => !(name in STEPS));
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(', ')}. The steps are ${Object.keys(STEPS).join(', ')}.`);
  process.exit(2);
}
if ((await npmRun('build')) !== 0) process.exit(1);
const rows = [];
for (const name of names) rows.push(...(await STEPS[name]()));
print(rows);
if (rows.some(({ failed }) => failed > 0) || rows.every(({ passed }) => passed === 0)) process.exitCode = 1;
