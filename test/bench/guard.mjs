// npm run bench:guard -- [--commit NAME] [--rounds N] [--seconds S] [--only ledger|proxy]
// Compares the CPU time per operation of this build with that of a commit, by default of the last version in CHANGELOG.md: reads and
// creates of ledger-api, proxied GETs and tunnels of proxy-client. Both builds run at the same time and are measured in turn; the
// least of all rounds counts, because other programs can only add to it; on a busy machine use more rounds. Exits with 1 if something grew by 10 % or more.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { endCandidate, runLoad, startCandidate } from './load/ledger-candidates.mjs';
import { cpuSeconds, end, freePort, runClient, startHelper, untilAccepts } from './load/processes.mjs';

const CONNECTIONS = 64;
/** A server that has just started compiles its code for seconds. */
const WARM_UP_MS = 10_000;
/** What grew by this part of the earlier figure is reported as a fault. */
const ALLOWED = 0.1;
const MIB = 1024 ** 2;
/** Outside of node_modules, below which the build finds no sources. */
const BUILDS = join(tmpdir(), `bench-builds-${userInfo().username}`);
/** On a disk: an fsync in memory costs nothing. */
const DATA = join(process.cwd(), 'node_modules/.cache/bench/guard');
const MAINS = {
  ledger: 'dist/apps/ledger-api/bundle/lib/ledger-api.js',
  proxy: 'dist/apps/proxy-client/bundle/lib/proxy-client.js',
};

const { values } = parseArgs({
  options: {
    commit: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log('npm run bench:guard -- [--commit NAME] [--rounds N] [--seconds S] [--only ledger|proxy]');
  process.exit(0);
}
const [rounds, milliseconds] = [Number(values.rounds), Number(values.seconds) * 1000];

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** Returns the commit that named the last version in the changelog. */
function lastVersion() {
  const heading = /^## \d+\.\d+\.\d+.*$/m.exec(readFileSync('CHANGELOG.md', 'utf8'))?.[0];
  if (heading === undefined) throw new Error('CHANGELOG.md names no version: name a commit with --commit.');
  const found = git('log', '--format=%H', `-S${heading}`, '--', 'CHANGELOG.md').split('\n').at(-1);
  if (!found) throw new Error(`No commit added "${heading}" to CHANGELOG.md: name one with --commit.`);
  return found;
}

/** Builds a commit in the cache, unless it was built before; returns its directory. */
function buildOf(name) {
  const commit = git('rev-parse', '--verify', `${name}^{commit}`);
  const directory = join(BUILDS, commit);
  if (existsSync(join(directory, MAINS.proxy))) return directory;
  console.log(`Building ${commit.slice(0, 8)} (once) …`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 1024 * MIB });
  execFileSync('tar', ['-x', '-C', directory], { input: archive });
  const run = (command, args) =>
    execFileSync(command, args, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
  const lock = (root) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lock(directory) === lock(process.cwd()))
    symlinkSync(join(process.cwd(), 'node_modules'), join(directory, 'node_modules'));
  else run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  run(process.execPath, ['src/build.mjs']);
  return directory;
}

/** Runs a load and returns the CPU time per operation in microseconds. */
async function cpuPer(pid, run) {
  const before = cpuSeconds(pid);
  const count = await run();
  return ((cpuSeconds(pid) - before) * 1e6) / count;
}

async function startLedger(root, directory) {
  process.env['LEDGER_API_MAIN'] = join(root, MAINS.ledger);
  const { port, pid, child } = await startCandidate('ledger-api', directory);
  let { next } = await runLoad('post', port, CONNECTIONS, WARM_UP_MS, 'guard', 0);
  await runLoad('get', port, CONNECTIONS, WARM_UP_MS / 2, 'guard', next - CONNECTIONS);
  return {
    measures: {
      'GET of an asset': () =>
        cpuPer(
          pid,
          async () => (await runLoad('get', port, CONNECTIONS, milliseconds, 'guard', next - CONNECTIONS)).done,
        ),
      'create of an asset': () =>
        cpuPer(pid, async () => {
          const created = await runLoad('post', port, CONNECTIONS, milliseconds, 'guard', next);
          next = created.next;
          return created.done;
        }),
    },
    stop: () => endCandidate({ child }),
  };
}

async function startProxy(root, directory, { origin, socks }) {
  const port = await freePort();
  const config = {
    logLevel: 'error',
    admin: 'off',
    listen: { host: '127.0.0.1', port },
    upstream: { host: '127.0.0.1', port: socks },
    limits: { connections: 20_000 },
  };
  const file = join(directory, 'proxy.json');
  writeFileSync(file, JSON.stringify(config));
  const child = spawn(process.execPath, [join(root, MAINS.proxy), '--config', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await untilAccepts(port, child);
  const requests = (mode, time) => runClient([mode, 'connect', port, origin, CONNECTIONS, time]);
  await requests('http', WARM_UP_MS / 2);
  await requests('rate', WARM_UP_MS / 2);
  const bytes = 1024 * MIB;
  await runClient(['down', 'connect', port, origin, 1, 64 * MIB]);
  return {
    measures: {
      'proxied GET': () => cpuPer(child.pid, async () => (await requests('http', milliseconds)).done),
      'opened tunnel': () => cpuPer(child.pid, async () => (await requests('rate', milliseconds)).done),
      'tunnelled MiB': () =>
        cpuPer(child.pid, async () => {
          await runClient(['down', 'connect', port, origin, 1, bytes]);
          return bytes / MIB;
        }),
    },
    stop: () => end(child),
  };
}

/** Measures both builds in turn; returns the least CPU time of each measure, of the earlier build and of this one. */
async function compare(start, roots, root) {
  const running = [];
  try {
    for (const each of roots) running.push(await start(each, mkdtempSync(join(root, 'data-'))));
    const least = new Map();
    for (let round = 0; round < rounds; round++) {
      for (const name of Object.keys(running[0].measures)) {
        for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
          const figures = least.get(name) ?? [Infinity, Infinity];
          figures[index] = Math.min(figures[index], await running[index].measures[name]());
          least.set(name, figures);
        }
      }
    }
    return least;
  } finally {
    for (const { stop } of running) await stop();
  }
}

const commit = values.commit ?? lastVersion();
const roots = [buildOf(commit), process.cwd()];
mkdirSync(DATA, { recursive: true });
const data = mkdtempSync(join(DATA, 'run-'));
const results = [];
try {
  if (values.only !== 'proxy') results.push(...(await compare(startLedger, roots, data)));
  if (values.only !== 'ledger') {
    const [origin, socks] = [await startHelper('origin'), await startHelper('socks')];
    const places = { origin: origin.port, socks: socks.port };
    try {
      results.push(...(await compare((root, directory) => startProxy(root, directory, places), roots, data)));
    } finally {
      await end(origin.child);
      await end(socks.child);
    }
  }
} finally {
  rmSync(data, { recursive: true });
}

console.log(`\nCPU µs each (least of ${rounds} rounds): ${commit.slice(0, 8)} → this build`);
let hasGrown = false;
for (const [name, [before, after]] of results) {
  const change = after / before - 1;
  const grew = change >= ALLOWED;
  hasGrown ||= grew;
  const percent = `${change < 0 ? '−' : '+'}${Math.abs(change * 100).toFixed(0)} %`;
  console.log(
    `${name.padEnd(20)} ${before.toFixed(1).padStart(8)} → ${after.toFixed(1).padStart(8)}  ${percent}${grew ? '  GREW' : ''}`,
  );
}
if (hasGrown) process.exitCode = 1;
