// npm run bench:fabric: ledger-api on a real Fabric network, with either driver, compared with the SDKs used directly.
// Rounds outside, scenarios and connections inside, candidates in turn. Prints medians and ratios.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { CANDIDATES, OURS, startCandidate } from './fabric-candidates.mjs';
import { describeNetwork, makeNetwork, missingRelease, runningNetwork } from './fabric-network.mjs';
import { keptSamples, report, save } from './fabric-report.mjs';
import { CONNECTIONS, create, lone, memory, read } from './fabric-scenarios.mjs';
import { end } from './processes.mjs';

const HELP = `npm run bench:fabric -- [options]
  --scenarios a,b    of create, read, lone, memory
  --connections a,b  ${CONNECTIONS.join(',')}
  --candidates a,b   of ${CANDIDATES.join(', ')}
  --rounds N         3, of create and read
  --seconds S        6 for each measurement of create, half as long for read
  --lone N           60 creates a candidate
  --writes N         20000 for memory
  --network DIR      a network of npm run fabric that runs already; without it one is made and removed
  --save             writes test/bench/results/fabric.json and its section of docs/benchmarks.md
  --add              adds to the figures that are kept there, for a run that is taken in pieces
Needs the binaries of a Fabric release (see docs/examples/20.fabric-without-docker). On two cores all of it takes about 15
minutes: 3 for each round of create and read, 1 for lone, 2 a driver for memory.`;

const { values } = parseArgs({
  options: {
    scenarios: { type: 'string', default: 'create,read,lone,memory' },
    connections: { type: 'string', default: CONNECTIONS.join(',') },
    candidates: { type: 'string', default: CANDIDATES.join(',') },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '6' },
    lone: { type: 'string', default: '60' },
    writes: { type: 'string', default: '20000' },
    network: { type: 'string' },
    save: { type: 'boolean', default: false },
    add: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const chosen = values.scenarios.split(',');
const candidates = CANDIDATES.filter((name) => values.candidates.split(',').includes(name));
const connections = values.connections.split(',').map(Number);
const samples = values.add ? keptSamples() : [];
const firstRound = Math.max(0, ...samples.map(({ round }) => round));
const milliseconds = Number(values.seconds) * 1000;

function note(sample) {
  samples.push(sample);
  const { scenario, candidate, figures } = sample;
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(value < 10 ? 2 : 0)}`);
  const at = sample.connections === undefined ? '' : String(sample.connections);
  console.log(`${scenario.padEnd(6)} ${at.padStart(3)}  ${candidate.padEnd(27)} ${shown.join('  ')}`);
}

/** Candidates that run all the time, the assets that all of them read already there. */
async function startAll(network, directory) {
  const all = [];
  for (const name of candidates) {
    const own = mkdtempSync(join(directory, 'candidate-'));
    const candidate = await startCandidate(name, network, own);
    all.push({ ...candidate, assets: `${Date.now().toString(36)}-${all.length}`, created: 0 });
  }
  for (const candidate of all) {
    const { next } = await candidate.load('post', 64, 3000, candidate.assets, 0);
    candidate.created = next;
    await candidate.load('get', 64, 2000, candidate.assets, next);
  }
  return all;
}

async function runScenarios(all) {
  const seeds = { name: all[0].assets, assets: all[0].created };
  for (let turn = 0; turn < Number(values.rounds); turn++) {
    const round = firstRound + turn + 1;
    for (const count of connections) {
      for (const [index] of all.entries()) {
        const candidate = all[(index + round) % all.length];
        const common = { round, connections: count, candidate: candidate.name };
        if (chosen.includes('create')) {
          note({ ...common, scenario: 'create', figures: await create(candidate, count, { milliseconds }) });
        }
        if (chosen.includes('read')) {
          const options = { milliseconds: milliseconds / 2, seeds };
          note({ ...common, scenario: 'read', figures: await read(candidate, count, options) });
        }
      }
    }
  }
}

async function alone(all) {
  const times = all.map(() => []);
  for (let turn = 0; turn < Number(values.lone); turn++) {
    for (const [index, candidate] of all.entries()) times[index].push(await lone(candidate));
  }
  for (const [index, { name: candidate }] of all.entries()) {
    const sorted = times[index].sort((a, b) => a - b);
    const figures = {
      'p50 ms': sorted[Math.floor(sorted.length / 2)],
      'p90 ms': sorted[Math.floor(sorted.length * 0.9)],
    };
    note({ round: firstRound + 1, scenario: 'lone', candidate, figures });
  }
}

async function growth(network, directory) {
  for (const name of candidates.filter((each) => each in OURS)) {
    const own = mkdtempSync(join(directory, 'memory-'));
    const started = await startCandidate(name, network, own);
    const candidate = { ...started, assets: `memory-${Date.now().toString(36)}`, created: 0 };
    try {
      const figures = await memory(candidate, { writes: Number(values.writes) });
      note({ round: firstRound + 1, scenario: 'memory', candidate: name, figures });
    } finally {
      await end(candidate.child);
    }
  }
}

async function measure(network, directory) {
  if (['create', 'read', 'lone'].some((name) => chosen.includes(name))) {
    const all = await startAll(network, directory);
    try {
      await runScenarios(all);
      if (chosen.includes('lone')) await alone(all);
    } finally {
      for (const { child } of all) await end(child);
    }
  }
  if (chosen.includes('memory')) await growth(network, directory);
}

async function run() {
  const root = join(process.cwd(), 'node_modules', '.cache', 'bench');
  mkdirSync(root, { recursive: true });
  const directory = mkdtempSync(join(root, 'fabric-'));
  const network =
    values.network === undefined ? await makeNetwork(join(directory, 'network')) : runningNetwork(values.network);
  try {
    const described = describeNetwork(network.directory);
    await measure(network.directory, directory);
    console.log(`\n${report(samples)}`);
    if (values.save) save(samples, described);
  } finally {
    await network.end();
    rmSync(directory, { recursive: true, force: true });
  }
}

const missing = values.help || values.network !== undefined ? undefined : await missingRelease();
if (values.help) console.log(HELP);
else if (missing !== undefined) console.log(`skipped: no Fabric network can be made here: ${missing}`);
else await run();
