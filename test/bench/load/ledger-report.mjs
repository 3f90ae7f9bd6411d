// Medians and ratios of a run of `npm run bench:ledger`, as Markdown.
import { writeSection } from './write-section.mjs';
import { BARE, OURS } from './ledger-candidates.mjs';

const BULK = 'bulk';

const TITLES = {
  get: 'GET /assets/{id}, 64 connections',
  scatter: 'POST /assets with random ids, 64 connections, each durable; ours also signed, endorsed and in a block',
  post: 'The same with ids in order (asset-1, asset-2, …)',
  lone: 'POST /assets, one after the other',
};

function median(values) {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return undefined;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function number(value) {
  if (value === undefined) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}

function medians(samples, scenario, candidate) {
  const own = samples.filter((sample) => sample.scenario === scenario && sample.candidate === candidate);
  const names = [...new Set(own.flatMap(({ figures }) => Object.keys(figures)))];
  return new Map(names.map((name) => [name, median(own.map(({ figures }) => figures[name]))]));
}

function comparison(samples, scenario) {
  const [ours, bare] = [OURS, BARE].map((candidate) => medians(samples, scenario, candidate));
  if (ours.size === 0) return '';
  const rows = [...ours].map(([name, value]) => {
    const other = bare.get(name);
    return `| ${name} | ${number(value)} | ${number(other)} | ${other === undefined ? '–' : (value / other).toFixed(2)} |`;
  });
  return [`### ${TITLES[scenario]}`, '', `| | ${OURS} | ${BARE} | ratio |`, '|---|---|---|---|', ...rows].join('\n');
}

function single(samples, scenario, title) {
  const figures = medians(samples, scenario, OURS);
  if (figures.size === 0) return '';
  const rows = [...figures].map(([name, value]) => `| ${name} | ${number(value)} |`);
  return [`### ${title}`, '', '| | |', '|---|---|', ...rows].join('\n');
}

/** The whole section; a ratio is ours divided by the other's. */
export function report(samples) {
  return [
    ...Object.keys(TITLES).map((scenario) => comparison(samples, scenario)),
    single(samples, 'list', 'GET /assets, the whole list, during creates'),
    single(samples, 'start', 'Start on a large ledger'),
    single(samples, 'pages', 'Pages of a large ledger'),
    single(samples, 'callers', 'With the key of a caller and without, 64 connections'),
    single(samples, 'events', 'GET /events: 1,000 quiet clients, and 100 who get each create'),
    single(samples, BULK, 'POST /assets with many lines'),
    single(samples, 'keyed', 'POST /assets with an Idempotency-Key and without, 64 connections'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Saves two sections: uploads are measured alone too. */
export function save(samples) {
  const [uploads, others] = [true, false].map((isBulk) =>
    samples.filter(({ scenario }) => (scenario === BULK) === isBulk),
  );
  if (others.length > 0) saveComparison(others);
  if (uploads.length > 0) saveUploads(uploads);
}

function saveComparison(samples) {
  const about =
    'Medians over the rounds, both candidates in turn, each after 15 seconds of creates. The bare program is `test/bench/load/ledger-bare.mjs`: Fastify over node:sqlite, ' +
    'WAL, full sync, writes committed in groups, the same JSON, without signatures, blocks, validation or headers. ' +
    "Random ids are the API's default, a UUID for each create without an id. Ids in order are the bare program's best case: every row is appended to the last page of its one table.";
  writeSection({
    name: 'ledger',
    title: 'ledger-api compared with bare Fastify with node:sqlite',
    command: 'npm run bench:ledger -- --save',
    results: { samples },
    text: `${about}\n\n${report(samples)}`,
  });
}

function saveUploads(samples) {
  const about =
    'Random ids, 1,000 owners, durable and signed, all indexes, compared in turn with single creates on the same ledger, by 64 connections and by one client, and with a ' +
    'bare node:sqlite program (`test/bench/load/bulk-bare.mjs`) that inserts the same rows of state, history and owner index in the same batches of 500. ' +
    'First into a new ledger, then into one of the size that is named: the keys are random, so that a larger ledger has more pages to change. ' +
    'Where the load average is above the number of cores, other programs ran meanwhile: compare the CPU then, not the rates.';
  writeSection({
    name: 'ledger-uploads',
    title: 'Uploads to ledger-api',
    command: 'npm run bench:ledger -- --scenarios bulk --save',
    results: { samples },
    text: `${about}\n\n${report(samples)}`,
  });
}
