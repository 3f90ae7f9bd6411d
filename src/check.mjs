// `npm run check:static`: everything that CI checks without running the programs, one step after the other. Ends at the first
// step that fails, with its name; ends with one line when all is well.
import { spawnSync } from 'node:child_process';
import process from 'node:process';

/** What is checked, and the script of package.json that does it; the quick ones first, so that most faults are told within seconds. */
const STEPS = [
  ['dead code', 'check:unused'],
  ['import rules', 'check:boundaries'],
  ['format', 'check:format'],
  ['API documents', 'check:openapi'],
  ['types', 'check:types'],
  ['pages', 'check:pages'],
  ['generated files', 'check:generated'],
  ['lint', 'lint'],
];

const npm = process.env['npm_execpath'];
const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
const seconds = (since) => `${Math.round((performance.now() - since) / 1000)} s`;

/** The linter of the documents looks for news of itself, and tells its makers of each run, unless it is told not to. */
const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' };

const started = performance.now();
for (const [index, [name, script]] of STEPS.entries()) {
  console.log(`\n[${index + 1}/${STEPS.length}] ${name}: npm run ${script}`);
  const since = performance.now();
  const { status, signal } = spawnSync(command, [...first, 'run', '--silent', script], {
    stdio: 'inherit',
    env,
    shell: !npm && process.platform === 'win32',
  });
  if (status !== 0) {
    console.error(`\ncheck: failed at ${name} (npm run ${script} ended with ${status ?? signal})`);
    process.exit(1);
  }
  console.log(`${name}: good, ${seconds(since)}`);
}
console.log(`\ncheck: all ${STEPS.length} steps are good, ${seconds(started)}`);
