// Medians and ratios of a run of `npm run bench:proxy`, as Markdown.
import { existsSync, readFileSync } from 'node:fs';
import { LOWER_IS_BETTER, WARM_UP } from './proxy-scenarios.mjs';
import { writeSection } from './write-section.mjs';

/** Ours, as it is and with other settings. */
const OURS = /^proxy-client/;
const CEILING = 'SOCKS5 alone';
/** No rival: it shows what Node itself needs. */
const FLOOR = 'plain-node';
/** The CPU time of ours that is aimed at, as a part of that of others. */
const AIMS = [
  { scenario: 'rate', key: 'CPU ms/tunnel', other: FLOOR, atMost: 1.35 },
  { scenario: 'rate', key: 'CPU ms/tunnel', other: 'gwproxy', atMost: 1.8 },
  { scenario: 'http', key: 'CPU ms/request', other: FLOOR, atMost: 1.35 },
  { scenario: 'http', key: 'CPU ms/request', other: 'privoxy', atMost: 0.75 },
];
const RESULTS = 'test/bench/results/proxy.json';

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function number(value) {
  if (value === undefined) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : value >= 0.1 ? 2 : 4);
}

/** One row a candidate: the median of each figure, over the rounds in which it did not fail. */
function rowsOf(scenario, samples) {
  const own = samples.filter((sample) => sample.scenario === scenario.name);
  const names = [...new Set(own.map(({ candidate }) => candidate))];
  return names.map((name) => {
    const good = own.filter(({ candidate, figures }) => candidate === name && figures);
    const error = own.find(({ candidate, error }) => candidate === name && error)?.error;
    const keys = [...new Set(good.flatMap(({ figures }) => Object.keys(figures)))];
    const values = keys.map((key) => [
      key,
      good.map(({ figures }) => figures[key]).filter((value) => value !== undefined),
    ]);
    const figures = Object.fromEntries(values.map(([key, list]) => [key, list.length ? median(list) : undefined]));
    const range = values.find(([key]) => key === scenario.key)?.[1] ?? [];
    return { name, figures, range, error: good.length === 0 ? error : undefined };
  });
}

function best(rows, key) {
  const rivals = rows.filter(({ name, error }) => !OURS.test(name) && name !== CEILING && name !== FLOOR && !error);
  const values = rivals.map(({ figures }) => figures[key]).filter((value) => value !== undefined);
  if (values.length === 0) return undefined;
  return LOWER_IS_BETTER.has(key) ? Math.min(...values) : Math.max(...values);
}

function cell(row, key, reference) {
  const value = row.figures[key];
  if (value === undefined || !reference || key === 'failed' || key === 'tunnels open') return number(value);
  return `${number(value)} (${(value / reference).toFixed(2)})`;
}

function table(scenario, samples) {
  const rows = rowsOf(scenario, samples);
  const keys = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const sign = LOWER_IS_BETTER.has(scenario.key) ? 1 : -1;
  const order = (row) => row.figures[scenario.key] ?? Number.POSITIVE_INFINITY * sign;
  rows.sort((a, b) => sign * (order(a) - order(b)));
  const references = new Map(keys.map((key) => [key, best(rows, key)]));
  const lines = rows.map((row) => {
    const name = OURS.test(row.name) ? `**${row.name}**` : row.name;
    if (row.error)
      return `| ${name} | ${keys.map((_, index) => (index === 0 ? `failed: ${row.error}` : '')).join(' | ')} | |`;
    const cells = keys.map((key) => cell(row, key, references.get(key)));
    const range = row.range.length > 1 ? `${number(Math.min(...row.range))}–${number(Math.max(...row.range))}` : '';
    return `| ${name} | ${cells.join(' | ')} | ${range} |`;
  });
  const head = [
    `| candidate | ${keys.join(' | ')} | range of ${scenario.key} |`,
    `| --- |${' ---: |'.repeat(keys.length + 1)}`,
  ];
  const own = samples.filter((sample) => sample.scenario === scenario.name);
  const rounds = new Set(own.map(({ round }) => round)).size;
  const measured = `${rounds} rounds, commit ${own[0]?.commit}`;
  return [`### ${scenario.title}`, '', `${measured}.`, '', ...head, ...lines, ''].join('\n');
}

/** The aims for which both sides were measured. */
function aims(scenarios, samples) {
  const lines = AIMS.flatMap(({ scenario: name, key, other, atMost }) => {
    const rows = rowsOf(scenarios.find((scenario) => scenario.name === name) ?? { name }, samples);
    const [ours, theirs] = ['proxy-client', other].map((each) => rows.find((row) => row.name === each)?.figures[key]);
    if (ours === undefined || theirs === undefined) return [];
    const ratio = ours / theirs;
    return [`| ${key} of ${other} | ${ratio.toFixed(2)} | ${atMost} | ${ratio <= atMost ? 'yes' : 'no'} |`];
  });
  if (lines.length === 0) return [];
  return [
    '### Aims',
    '',
    '| proxy-client, as a part of | measured | at most | reached |',
    '| --- | ---: | ---: | --- |',
    ...lines,
    '',
  ];
}

/** The whole report; in brackets the ratio to the best rival of the same table. */
export function report(scenarios, { skipped, samples }) {
  const note =
    `Medians of interleaved rounds; in brackets the ratio to the best rival in the same table. ` +
    `Client, SOCKS5 server, origin and proxy share the machine's cores. ` +
    `Rates are measured after ${WARM_UP.rate} tunnels or ${WARM_UP.http} requests of the same load.`;
  const missing = skipped.length > 0 ? `\n\nNot installed, so not measured: ${skipped.join(', ')}.` : '';
  const measured = scenarios.filter(({ name }) => samples.some(({ scenario }) => scenario === name));
  return [
    `${note}${missing}`,
    '',
    ...measured.map((scenario) => table(scenario, samples)),
    ...aims(scenarios, samples),
  ].join('\n');
}

/** What an earlier run has kept. */
export function keptSamples() {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')).samples : [];
}

/** Keeps the figures in test/bench/results/proxy.json and the report in docs/benchmarks.md. */
export function saveResults(scenarios, results) {
  writeSection({
    name: 'proxy',
    title: 'proxy-client',
    command: 'npm run bench:proxy -- --save',
    results,
    text: report(scenarios, results),
  });
}
