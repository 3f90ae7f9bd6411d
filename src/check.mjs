// `npm run check:static`: everything that CI checks without running the programs. Two steps run at once where there are two
// cores: the linter, which takes as long as all the others, and beside it the others one after the other, the quick ones first,
// so that most faults are told within seconds. Ends at the first step that fails, with its name; ends with one line when all
// is well.
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import process from 'node:process';

/** What is checked, and the script of package.json that does it. */
const QUICK_FIRST = [
  ['dead code', 'check:unused'],
  ['import rules', 'check:boundaries'],
  ['format', 'check:format'],
  ['API documents', 'check:openapi'],
  ['types', 'check:types'],
  ['pages', 'check:pages'],
  ['generated files', 'check:generated'],
];
const LONGEST = ['lint', 'lint'];
const LANES = availableParallelism() > 1 ? [QUICK_FIRST, [LONGEST]] : [[...QUICK_FIRST, LONGEST]];

const npm = process.env['npm_execpath'];
const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
const isWindows = process.platform === 'win32';
const seconds = (since) => `${Math.round((performance.now() - since) / 1000)} s`;

/** The linter of the documents looks for news of itself, and tells its makers of each run, unless it is told not to. */
const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' };

const running = new Set();

/** Ends a step with all that it has started. */
function end(child) {
  try {
    if (isWindows) spawnSync('taskkill', ['/pid', String(child.pid), '/t', '/f']);
    else process.kill(-child.pid, 'SIGTERM');
  } catch {
    // It has ended by itself meanwhile.
  }
}

function endAll() {
  for (const child of running) end(child);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });
}

/** Runs a step; what it prints comes in one piece when it is done. */
async function run([name, script]) {
  const since = performance.now();
  const child = spawn(command, [...first, 'run', '--silent', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    // A group of its own, to be ended as one.
    detached: !isWindows,
    shell: !npm && isWindows,
  });
  running.add(child);
  const printed = [];
  child.stdout.on('data', (bytes) => printed.push(bytes));
  child.stderr.on('data', (bytes) => printed.push(bytes));
  const [status, signal] = await new Promise((resolve) => {
    child.once('close', (...how) => {
      resolve(how);
    });
  });
  running.delete(child);
  process.stdout.write(`\n${name}: npm run ${script}\n${Buffer.concat(printed).toString()}`);
  if (status !== 0) {
    console.error(`\ncheck: failed at ${name} (npm run ${script} ended with ${status ?? signal})`);
    endAll();
    process.exit(1);
  }
  console.log(`${name}: good, ${seconds(since)}`);
}

const started = performance.now();
await Promise.all(
  LANES.map(async (steps) => {
    for (const step of steps) await run(step);
  }),
);
console.log(`\ncheck: all ${LANES.flat().length} steps are good, ${seconds(started)}`);
