// npm run bench:records -- [--seconds S] [--kills N] [--directory DIR] [--save]: the library ledger-api/embedded, compared in one run with
// what a user would write instead: a hash chain in SQLite, and a plain table, both with FULL synchronization. CPU per record includes all
// threads. With --kills a writing program is killed that often, and what it had acknowledged is looked for.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { openLedger, verifyLedger } from '../../../dist/apps/ledger-api/library/index.js';
import { writeSection } from './write-section.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    kills: { type: 'string', default: '0' },
    directory: { type: 'string', default: tmpdir() },
    save: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    endless: { type: 'string' },
  },
});
if (values.help) {
  console.log('npm run bench:records -- [--seconds S] [--kills N] [--directory DIR] [--save]');
  process.exit();
}
/** Of 200 bytes with 7 fields. */
const document = (n) => {
  const at = new Date(1_700_000_000_000 + n).toISOString();
  return { at, user: `user-${n % 1000}`, action: 'login', ok: true, ip: '192.0.2.17', n, agent: 'x'.repeat(80) };
};
const SCHEMA = {
  type: 'object',
  properties: { at: { type: 'string', format: 'date-time' }, user: { type: 'string' }, n: { type: 'integer' } },
  required: ['at', 'user', 'n'],
};
const TOGETHER = 64;

if (values.endless !== undefined) {
  const log = await openLedger(values.endless);
  const worker = async () => {
    for (let n = 0; ; n++) console.log((await log.append('login', document(n))).id);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** The candidates: each opens a directory and returns how it appends one document, and several in one transaction. */
const CANDIDATES = {
  library: async (directory) => {
    const log = await openLedger(directory);
    await log.define('login', { schema: SCHEMA });
    return {
      one: (n) => log.append('login', document(n)),
      many: (start) =>
        log.appendMany(
          'login',
          Array.from({ length: TOGETHER }, (_, n) => document(start + n)),
        ),
      close: () => log.close(),
    };
  },
  'hash chain in SQLite': (directory) => {
    const db = tableIn(directory, 'n INTEGER PRIMARY KEY, document TEXT, hash BLOB');
    const insert = db.prepare('INSERT INTO log (document, hash) VALUES (?, ?)');
    let hash = Buffer.alloc(32);
    const append = (n) => {
      const text = JSON.stringify(document(n));
      hash = createHash('sha256').update(hash).update(text).digest();
      insert.run(text, hash);
    };
    return { one: append, many: inTransaction(db, append), close: () => db.close() };
  },
  'plain SQLite': (directory) => {
    const db = tableIn(directory, 'n INTEGER PRIMARY KEY, document TEXT');
    const insert = db.prepare('INSERT INTO log (document) VALUES (?)');
    const append = (n) => insert.run(JSON.stringify(document(n)));
    return { one: append, many: inTransaction(db, append), close: () => db.close() };
  },
};

function tableIn(directory, columns) {
  const db = new DatabaseSync(join(directory, 'log.db'));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE log (${columns})`);
  return db;
}

function inTransaction(db, append) {
  return (start) => {
    db.exec('BEGIN');
    for (let n = 0; n < TOGETHER; n++) append(start + n);
    db.exec('COMMIT');
  };
}

/** How the records arrive; SQLite has no calls in flight. */
const SCENARIOS = {
  'one at a time': { workers: 1, call: 'one', records: 1 },
  '64 in flight': { workers: 64, call: 'one', records: 1 },
  '64 a transaction': { workers: 1, call: 'many', records: TOGETHER },
  '64 a transaction, 8 in flight': { workers: 8, call: 'many', records: TOGETHER },
};

async function measure(candidate, { workers, call, records }) {
  const end = performance.now() + Number(values.seconds) * 1000;
  const before = process.cpuUsage();
  const began = performance.now();
  let count = 0;
  const worker = async () => {
    while (performance.now() < end) {
      const start = count;
      count += records;
      await candidate[call](start);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  const { user, system } = process.cpuUsage(before);
  return { rate: (count * 1000) / (performance.now() - began), cpu: (user + system) / count };
}

async function killed(times) {
  const directory = mkdtempSync(join(values.directory, 'bench-records-'));
  const acknowledged = new Set();
  for (let kill = 0; kill < times; kill++) {
    const child = spawn(process.execPath, [process.argv[1], '--endless', directory]);
    const most = 20 + Math.floor(Math.random() * 400);
    let lines = 0;
    for await (const id of createInterface({ input: child.stdout })) {
      acknowledged.add(id);
      if (++lines === most) child.kill('SIGKILL');
    }
  }
  const { ok } = await verifyLedger(directory);
  const log = await openLedger(directory);
  const count = acknowledged.size;
  for await (const { id } of log.list('login')) acknowledged.delete(id);
  await log.close();
  rmSync(directory, { recursive: true });
  return { kills: times, acknowledged: count, lost: acknowledged.size, ok };
}

const results = {};
for (const [scenario, options] of Object.entries(SCENARIOS)) {
  results[scenario] = {};
  for (const [name, open] of Object.entries(CANDIDATES)) {
    if (options.workers > 1 && name !== 'library') continue;
    const directory = mkdtempSync(join(values.directory, 'bench-records-'));
    const candidate = await open(directory);
    results[scenario][name] = await measure(candidate, options);
    await candidate.close();
    rmSync(directory, { recursive: true });
    const { rate, cpu } = results[scenario][name];
    console.log(`${scenario}: ${name}: ${Math.round(rate)} a second, ${cpu.toFixed(0)} µs of CPU each`);
  }
}
const one = results['one at a time'];
const share = one.library.rate / one['hash chain in SQLite'].rate;
console.log(`one at a time: ${share.toFixed(2)} of a hash chain of one's own`);
const kills = Number(values.kills) === 0 ? undefined : await killed(Number(values.kills));
if (kills !== undefined) {
  console.log(`${kills.kills} kills: ${kills.acknowledged} acknowledged, ${kills.lost} lost, sound: ${kills.ok}`);
  if (kills.lost > 0 || !kills.ok) process.exitCode = 1;
}
if (values.save) {
  const rows = Object.entries(results).flatMap(([scenario, found]) =>
    Object.entries(found).map(
      ([name, { rate, cpu }]) => `| ${scenario} | ${name} | ${Math.round(rate)} | ${cpu.toFixed(0)} |`,
    ),
  );
  const lost =
    kills === undefined
      ? ''
      : `\n\n${kills.kills} kills -9: of ${kills.acknowledged} acknowledged records ${kills.lost} were lost.`;
  writeSection({
    name: 'records',
    title: 'The library of records',
    command: `npm run bench:records -- --kills ${values.kills} --save`,
    results: { results, kills },
    text:
      'A document has 200 bytes, 7 fields and a checked schema. The library signs three times a transaction. Above the number of cores, ' +
      'other programs ran meanwhile: compare the CPU then. Recorded elsewhere on an idle machine in June 2026, and not measured by this command: ' +
      'immudb with synced writes 113 to 136 a second one at a time, 1,908 with 64 in flight, 8,142 with 64 a transaction.' +
      `\n\n| records | by | a second | CPU µs each |\n|---|---|---|---|\n${rows.join('\n')}${lost}`,
  });
}
