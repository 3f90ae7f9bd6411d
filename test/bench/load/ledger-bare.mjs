// What a user would write instead of ledger-api: bare Fastify over node:sqlite, in WAL mode with full sync, writes
// committed in groups, the same JSON. No signatures, no blocks, no validation beyond the primary key.
// node test/bench/load/ledger-bare.mjs DIRECTORY
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';

const database = new DatabaseSync(join(process.argv[2], 'bare.sqlite'));
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
database.exec('CREATE TABLE IF NOT EXISTS assets (id TEXT PRIMARY KEY, asset TEXT NOT NULL) WITHOUT ROWID');
const insert = database.prepare('INSERT OR IGNORE INTO assets (id, asset) VALUES (?, ?)');
const select = database.prepare('SELECT asset FROM assets WHERE id = ?');

/** Requests that wait for the next commit: all that came in while the last one was written. */
let waiting = [];

function commit() {
  const group = waiting;
  waiting = [];
  database.exec('BEGIN IMMEDIATE');
  const created = group.map(({ asset }) => insert.run(asset.ID, JSON.stringify(asset)).changes === 1);
  database.exec('COMMIT');
  group.forEach(({ resolve }, index) => resolve(created[index]));
}

function create(asset) {
  return new Promise((resolve) => {
    if (waiting.length === 0) setImmediate(commit);
    waiting.push({ asset, resolve });
  });
}

const app = fastify();

app.get('/api/v1/assets/:id', (request, reply) => {
  const row = select.get(request.params.id);
  if (row === undefined) return reply.code(404).send({ success: false, message: 'not found' });
  return { success: true, message: 'Asset found.', data: JSON.parse(row.asset) };
});

app.post('/api/v1/assets', async (request, reply) => {
  const { id, appraisedValue, color, owner, size } = request.body;
  const asset = { ID: id, appraisedValue, color, owner, size };
  if (!(await create(asset))) return reply.code(400).send({ success: false, message: 'exists' });
  return reply.code(201).send({ success: true, message: 'Asset created.', data: { asset, transactionId: id } });
});

await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ type: 'ready', urls: { http: `http://127.0.0.1:${app.server.address().port}/api/v1` } });
process.on('SIGTERM', () => process.exit(0));
