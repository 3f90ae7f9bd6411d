// npm run bench:proxy -- [--rounds N] [--scenarios a,b] [--candidates a,b] [--seconds S] [--mib M] [--save [--keep]]
// Our proxy compared with what users pick now, in one run: rounds outside, scenarios in the middle, candidates (rotated) inside,
// each started afresh, everything on loopback. Prints ratios; --save writes test/bench/results/proxy.json and its section of
// docs/benchmarks.md, and with --keep what is kept there of the other scenarios stays.
import { once } from 'node:events';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { CANDIDATES, startCandidate } from './proxy-candidates.mjs';
import { SCENARIOS, delayRelay, oneTunnel } from './proxy-scenarios.mjs';
import { end, freePort, startHelper, untilAccepts, untilQuiet } from './processes.mjs';
import { keptSamples, report, saveResults } from './proxy-report.mjs';
import { commit } from './write-section.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    scenarios: { type: 'string', default: SCENARIOS.map(({ name }) => name).join(',') },
    candidates: { type: 'string', default: CANDIDATES.map(({ name }) => name).join(',') },
    seconds: { type: 'string', default: '3' },
    mib: { type: 'string', default: '2048' },
    save: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(
    'npm run bench:proxy -- [--rounds N] [--scenarios a,b] [--candidates a,b] [--seconds S] [--mib M] [--save [--keep]]',
  );
  console.log(`scenarios: ${SCENARIOS.map(({ name, title }) => `${name} (${title})`).join(', ')}`);
  console.log(`candidates: ${CANDIDATES.map(({ name, hint }) => `${name} (${hint})`).join(', ')}`);
  process.exit(0);
}

const chosen = new Set(values.candidates.split(','));
const scenarios = SCENARIOS.filter(({ name }) => values.scenarios.split(',').includes(name));
const present = CANDIDATES.filter(({ name, find }) => chosen.has(name) && find() !== undefined);
const skipped = CANDIDATES.filter(({ name, find }) => chosen.has(name) && find() === undefined);
for (const { name, hint } of skipped) console.log(`skipped: ${name} is not installed (${hint})`);

const origin = await startHelper('origin');
const socks = await startHelper('socks');
const shared = {
  origin: origin.port,
  seconds: Number(values.seconds),
  bytes: Number(values.mib) * 1024 ** 2,
  served: async () => {
    socks.child.kill('SIGUSR1');
    const [line] = await once(socks.child.stdout, 'data');
    return Number(line);
  },
};

const samples = [];
const measuredAt = commit();

/** Where a candidate listens and connects to. */
async function placesOf(candidate, link) {
  const admin = candidate.hasAdmin ? await freePort() : undefined;
  return { port: await freePort(), origin: origin.port, socks: link?.port ?? socks.port, admin };
}

async function runCandidate(scenario, candidate) {
  const link = scenario.delayMs ? await delayRelay(socks.port, scenario.delayMs) : undefined;
  const places = await placesOf(candidate, link);
  const { port, admin } = places;
  const child = startCandidate(candidate, places);
  try {
    const started = performance.now();
    await untilAccepts(port, child);
    const before = candidate.isDirect ? undefined : await shared.served();
    const { via = 'connect', fields = '' } = candidate;
    const target = { ...shared, via, fields, port, admin, pid: child.pid };
    // The delayed upstream shows what the very first tunnel costs, so nothing may be learned before.
    if (!scenario.delayMs && !scenario.isTls) await oneTunnel(target);
    const firstMs = performance.now() - started;
    await untilQuiet(child.pid);
    const figures = await scenario.run({ ...target, firstMs });
    if ((await shared.served()) === before)
      throw new Error('goes to the origin directly, not through the SOCKS5 server');
    return figures;
  } finally {
    await end(child);
    link?.close();
  }
}

async function sample(round, scenario, name, run) {
  try {
    const figures = await run();
    samples.push({ round, scenario: scenario.name, candidate: name, commit: measuredAt, figures });
    const shown = Object.entries(figures).filter(([, value]) => value !== undefined);
    const text = shown.map(([figure, value]) => `${figure} ${value.toFixed(value < 10 ? 3 : 0)}`);
    console.log(`round ${round + 1}  ${scenario.name.padEnd(6)} ${name.padEnd(14)} ${text.join('  ')}`);
  } catch (error) {
    samples.push({ round, scenario: scenario.name, candidate: name, commit: measuredAt, error: error.message });
    console.log(`round ${round + 1}  ${scenario.name.padEnd(6)} ${name.padEnd(14)} failed: ${error.message}`);
  }
}

/** Another order each round, so that no candidate always runs first. */
function rotated(list, by) {
  return list.map((_, index) => list[(index + by) % list.length]);
}

for (let round = 0; round < Number(values.rounds); round++) {
  for (const scenario of scenarios) {
    if (!scenario.proxiesOnly) {
      const alone = { ...shared, via: 'socks', port: socks.port };
      await sample(round, scenario, 'SOCKS5 alone', () => scenario.run(alone));
    }
    const takingPart = present.filter(
      ({ name, only }) => only?.includes(scenario.name) ?? scenario.candidates?.includes(name) ?? true,
    );
    for (const candidate of rotated(takingPart, round)) {
      await sample(round, scenario, candidate.name, () => runCandidate(scenario, candidate));
    }
  }
}
await end(origin.child);
await end(socks.child);

const results = { skipped: skipped.map(({ name }) => name), samples };
console.log(report(scenarios, results));
if (values.save) {
  const kept = values.keep ? keptSamples().filter((each) => !scenarios.some(({ name }) => name === each.scenario)) : [];
  saveResults(SCENARIOS, { ...results, samples: [...kept, ...samples] });
}
