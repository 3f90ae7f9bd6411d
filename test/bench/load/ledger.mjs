// npm run bench:ledger -- [--rounds N] [--seconds S] [--scenarios a,b] [--assets N] [--transactions N] [--save]
// ledger-api compared with what a user would write instead (bare Fastify over node:sqlite), in one run: rounds outside, scenarios
// inside, both candidates in turn. Prints medians and ratios; --save writes test/bench/results/ledger*.json and their sections
// of docs/benchmarks.md. LEDGER_API_MAIN names another build of ledger-api, such as the dist/lib/ledger-api.js of an unpacked package.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { BARE, endCandidate, OURS, runLoad, startCandidate } from './ledger-candidates.mjs';
import { bulk } from './bulk-scenario.mjs';
import { events } from './events-scenario.mjs';
import { report, save } from './ledger-report.mjs';
import { pages } from './ledger-pages.mjs';
import { callers, get, isInMemory, keyed, list, lone, post, scatter, start } from './ledger-scenarios.mjs';

// A server that has just started compiles its code for seconds; what it does all day is measured behind that.
const WARM_UP_MS = 15_000;

const INTERLEAVED = { post, scatter, get, lone };
const ALONE = { list, start, pages, keyed, callers, events, bulk };

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    scenarios: { type: 'string', default: [...Object.keys(INTERLEAVED), ...Object.keys(ALONE)].join(',') },
    assets: { type: 'string', default: '100000' },
    transactions: { type: 'string', default: '1000000' },
    save: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(
    'npm run bench:ledger -- [--rounds N] [--seconds S] [--scenarios a,b] [--assets N] [--transactions N] [--save]',
  );
  console.log(
    'scenarios: post, scatter, get, lone (both candidates), list, start, pages, keyed, callers, events, bulk (ledger-api)',
  );
  process.exit(0);
}

// Next to the modules and not in the system's temporary directory, which may be in memory.
const root = join(process.cwd(), 'node_modules', '.cache', 'bench', 'ledger');
mkdirSync(root, { recursive: true });
if (isInMemory(root)) throw new Error(`${root} is in memory: an fsync costs nothing there. Check out on a disk.`);

const chosen = values.scenarios.split(',');
const samples = [];

function note(round, scenario, candidate, figures) {
  samples.push({ round, scenario, candidate, figures });
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(value < 10 ? 3 : 0)}`);
  console.log(`round ${round}  ${scenario.padEnd(7)} ${candidate.padEnd(12)} ${shown.join('  ')}`);
}

async function runInterleaved() {
  const names = Object.keys(INTERLEAVED).filter((name) => chosen.includes(name));
  if (names.length === 0) return;
  const directory = mkdtempSync(join(root, 'run-'));
  const candidates = [];
  for (const [index, name] of [OURS, BARE].entries()) {
    const own = join(directory, String(index));
    mkdirSync(own);
    const candidate = await startCandidate(name, own);
    const { next } = await runLoad('post', candidate.port, 64, WARM_UP_MS, 'bench', 0);
    candidates.push({ ...candidate, directory: own, created: next, scattered: 0 });
  }
  const options = { milliseconds: Number(values.seconds) * 1000 };
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const name of names) {
      for (const candidate of round % 2 === 1 ? candidates : candidates.toReversed()) {
        note(round, name, candidate.name, await INTERLEAVED[name](candidate, options));
      }
    }
  }
  await Promise.all(candidates.map(endCandidate));
  rmSync(directory, { recursive: true });
}

async function alone() {
  const options = { assets: Number(values.assets), transactions: Number(values.transactions) };
  if (chosen.includes('list')) note(1, 'list', OURS, await list(join(root, `assets-${options.assets}`), options));
  if (chosen.includes('start')) {
    note(1, 'start', OURS, await start(join(root, `transactions-${options.transactions}`), options));
  }
  if (chosen.includes('pages')) {
    note(1, 'pages', OURS, await pages(join(root, `transactions-${options.transactions}`), options));
  }
  if (chosen.includes('keyed')) {
    const rounds = { rounds: Number(values.rounds), milliseconds: Number(values.seconds) * 1000 };
    note(1, 'keyed', OURS, await keyed(join(root, `keyed-${process.pid}`), rounds));
  }
  if (chosen.includes('callers')) {
    const rounds = { rounds: Number(values.rounds), milliseconds: Number(values.seconds) * 1000 };
    note(1, 'callers', OURS, await callers(join(root, `callers-${process.pid}`), rounds));
  }
  if (chosen.includes('events')) {
    const rounds = { rounds: Number(values.rounds), milliseconds: Number(values.seconds) * 1000 };
    note(1, 'events', OURS, await events(join(root, `events-${process.pid}`), rounds));
  }
  if (chosen.includes('bulk')) {
    const { assets } = options;
    const rounds = { assets, rounds: Number(values.rounds), milliseconds: Number(values.seconds) * 1000 };
    note(1, 'bulk', OURS, await bulk(join(root, `bulk-${process.pid}`), rounds));
  }
}

// First what reads and writes one directory: the disk is busy for a while with what the others leave behind.
await alone();
await runInterleaved();
console.log(`\n${report(samples)}`);
if (values.save) save(samples);
