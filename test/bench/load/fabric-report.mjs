// Medians and ratios of `npm run bench:fabric`, as Markdown, and where its figures are kept.
import { existsSync, readFileSync } from 'node:fs';
import { CANDIDATES, DIRECT, OURS } from './fabric-candidates.mjs';
import { CONNECTIONS } from './fabric-scenarios.mjs';
import { writeSection } from './write-section.mjs';

const RESULTS = 'test/bench/results/fabric.json';
const TITLES = { create: 'Committed creates', read: 'Reads of one asset' };

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function number(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** The figures of one cell of a table, each the median over the rounds; undefined when it was not measured. */
function medians(samples, scenario, candidate, connections) {
  const own = samples.filter(
    (sample) => sample.scenario === scenario && sample.candidate === candidate && sample.connections === connections,
  );
  if (own.length === 0) return undefined;
  const names = Object.keys(own[0].figures);
  const values = (name) => own.map(({ figures }) => figures[name]);
  return { rounds: own.length, ...Object.fromEntries(names.map((name) => [name, median(values(name))])) };
}

function table(samples, scenario) {
  const rows = CONNECTIONS.flatMap((connections) => {
    const direct = medians(samples, scenario, DIRECT, connections);
    return CANDIDATES.flatMap((candidate) => {
      const own = medians(samples, scenario, candidate, connections);
      if (own === undefined) return [];
      const ratio = direct === undefined ? '–' : (own['per second'] / direct['per second']).toFixed(2);
      const figures = ['per second', 'p50 ms', 'p99 ms', 'CPU ms each'].map((name) => number(own[name]));
      const [rate, ...others] = figures;
      return [`| ${connections} | ${candidate} | ${rate} | ${ratio} | ${others.join(' | ')} |`];
    });
  });
  if (rows.length === 0) return '';
  const head = '| at once | | per second | ratio | p50 ms | p99 ms | CPU ms each, client process |';
  return [`### ${TITLES[scenario]}`, '', head, '|---:|---|---:|---:|---:|---:|---:|', ...rows].join('\n');
}

function lone(samples) {
  const direct = medians(samples, 'lone', DIRECT);
  if (direct === undefined) return '';
  const rows = CANDIDATES.flatMap((candidate) => {
    const own = medians(samples, 'lone', candidate);
    if (own === undefined) return [];
    return [`| ${candidate} | ${number(own['p50 ms'])} | ${number(own['p50 ms'] - direct['p50 ms'])} |`];
  });
  const head = ['| | median ms | more than directly, ms |', '|---|---:|---:|'];
  return ['### One create at a time, candidates in turn', '', ...head, ...rows].join('\n');
}

function memory(samples) {
  const all = Object.keys(OURS).map((name) => medians(samples, 'memory', name));
  const [first] = all.filter(Boolean);
  if (first === undefined) return '';
  const rows = Object.keys(first)
    .filter((name) => name !== 'rounds')
    .map((name) => `| ${name} | ${all.map((each) => (each === undefined ? '–' : number(each[name]))).join(' | ')} |`);
  const head = [`| | ${Object.keys(OURS).join(' | ')} |`, '|---|---:|---:|'];
  return ['### Memory over many writes, 256 connections', '', ...head, ...rows].join('\n');
}

/** The whole section; a ratio is the rate divided by that of fabric-gateway used directly in the same run. */
export function report(samples) {
  return [table(samples, 'create'), table(samples, 'read'), lone(samples), memory(samples)]
    .filter(Boolean)
    .join('\n\n');
}

/** The samples of the runs before, for a run that is taken in pieces. */
export function keptSamples() {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')).samples : [];
}

export function save(samples, { fabricVersion, plan }) {
  const compared = samples.filter(({ scenario }) => scenario in TITLES);
  const rounds = new Set(compared.map(({ round }) => round)).size;
  const about =
    `Fabric ${fabricVersion}, made by \`npm run fabric -- up\`: one orderer (Raft), two peers that both endorse, this project's ` +
    `chaincode in one process, blocks after ${plan.batchTimeout} or ${plan.batchSize} transactions. Network, client and load ` +
    `share the machine's cores. Medians over the rounds (${rounds}), candidates in turn; ratios are to @hyperledger/fabric-gateway used ` +
    'directly (`test/bench/load/fabric-direct.mjs`), one process each.';
  writeSection({
    name: 'fabric',
    title: 'ledger-api on a Fabric network and the SDKs used directly',
    command: 'npm run bench:fabric -- --save',
    results: { fabricVersion, samples },
    text: `${about}\n\n${report(samples)}`,
  });
}
