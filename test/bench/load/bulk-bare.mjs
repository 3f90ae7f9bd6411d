// What a user would write instead of an upload: a node:sqlite program that inserts the rows of the ledger's store (state, history,
// index of owners) in batches, each durable. No contract, no signatures, no blocks, no digests, no http.
// node test/bench/load/bulk-bare.mjs DIRECTORY COUNT BATCH
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';

const [directory, count, batch] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const database = new DatabaseSync(join(directory, 'bulk.sqlite'));
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384');
database.exec(`
  CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY NOT NULL, value BLOB, block INTEGER NOT NULL, position INTEGER NOT NULL,
    entry INTEGER NOT NULL, digest BLOB NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS owners ON state (CAST(value AS TEXT) ->> '$.owner');
  CREATE TABLE IF NOT EXISTS history (entry INTEGER PRIMARY KEY, previous INTEGER NOT NULL, block INTEGER NOT NULL,
    position INTEGER NOT NULL, digest BLOB NOT NULL) STRICT;
`);
const insertState = database.prepare('INSERT INTO state VALUES (?, ?, ?, ?, ?, ?)');
const insertHistory = database.prepare('INSERT INTO history VALUES (?, ?, ?, ?, ?)');
const { last } = database.prepare('SELECT coalesce(max(entry), 0) AS last FROM history').get();
const digest = randomBytes(16);

const [started, cpu] = [performance.now(), process.cpuUsage()];
for (let done = 0; done < count; done += batch) {
  const block = (last + done) / batch;
  database.exec('BEGIN IMMEDIATE');
  for (let position = 0; position < batch; position++) {
    const entry = last + done + position + 1;
    const ID = randomUUID();
    const asset = { ID, appraisedValue: '300', color: 'blue', owner: `owner-${entry % 1000}`, size: '5' };
    insertState.run(`basic/${ID}`, Buffer.from(JSON.stringify(asset)), block, position, entry, digest);
    insertHistory.run(entry, 0, block, position, digest);
  }
  database.exec('COMMIT');
}
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000, cpu: (user + system) / 1e6 }));
database.close();
