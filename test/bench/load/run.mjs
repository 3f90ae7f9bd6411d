// npm run bench:run -- [--times N] [--save]: what `proxy-client run` adds to the start of a command, compared in one run with the command
// alone, with bwrap alone, and without the sandbox. The candidates take turns; CPU includes all processes.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { writeSection } from './write-section.mjs';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '7' },
    save: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log('npm run bench:run -- [--times N] [--save]');
  process.exit();
}
const TIMES = Number(values.times);
const DIRECTORIES = 5000;
const MAIN = join(process.cwd(), 'dist/apps/proxy-client/bundle/lib/proxy-client.js');

const root = mkdtempSync(join(tmpdir(), 'bench-run-'));
const empty = join(root, 'empty');
const large = join(root, 'large');
for (const directory of [empty, large]) mkdirSync(directory);
for (let n = 0; n < DIRECTORIES; n += 1) mkdirSync(join(large, `a${n % 50}/b${n}`), { recursive: true });
const config = join(root, 'gate.yaml');
writeFileSync(config, 'upstream: embedded\ndefault: reject\nadmin: off\n');

const BWRAP = [
  'bwrap',
  '--unshare-net',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--ro-bind',
  '/',
  '/',
].concat(...['--proc', '/proc', '--dev', '/dev', '--']);
const RUN = [process.execPath, MAIN, 'run', '--config', config];
/** The command lines before the command, and where they run. */
const CANDIDATES = {
  'the command alone': [[], empty],
  'bwrap alone': [BWRAP, empty],
  'run --no-sandbox': [[...RUN, '--no-sandbox', '--'], empty],
  run: [[...RUN, '--'], empty],
  [`run, project of ${DIRECTORIES.toLocaleString('en')} directories`]: [[...RUN, '--'], large],
};

/** Runs `true` once. @returns milliseconds of time and CPU; undefined if it failed */
function measure([before, cwd]) {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" 2>/dev/null';
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', ...before, 'true'], { cwd, encoding: 'utf8' });
  if (status !== 0) return undefined;
  const [real, user, system] = stderr
    .trim()
    .split(' ')
    .map((seconds) => Number(seconds) * 1000);
  return { time: real, cpu: user + system };
}

const measured = new Map(Object.keys(CANDIDATES).map((name) => [name, []]));
// The first turn warms the caches.
for (let turn = 0; turn <= TIMES; turn += 1) {
  for (const [name, candidate] of Object.entries(CANDIDATES)) {
    const result = measure(candidate);
    if (turn > 0 && result !== undefined) measured.get(name).push(result);
  }
}
rmSync(root, { recursive: true });

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const results = Array.from(measured, ([name, all]) => ({
  name,
  time: median(all.map(({ time }) => time)),
  cpu: median(all.map(({ cpu }) => cpu)),
}));
const cell = (milliseconds) => (milliseconds === undefined ? 'not available' : `${Math.round(milliseconds)} ms`);
const text = [
  `Median of ${TIMES} runs of \`true\`, the candidates in turn.`,
  '',
  '| | Time | CPU |',
  '| --- | ---: | ---: |',
  ...results.map(({ name, time, cpu }) => `| ${name} | ${cell(time)} | ${cell(cpu)} |`),
].join('\n');
console.log(text);
if (values.save) {
  writeSection({
    ...{ name: 'run', title: 'The start of a command by proxy-client run', command: 'npm run bench:run -- --save' },
    ...{ results: { results }, text },
  });
}
