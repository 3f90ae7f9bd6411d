// What the embedded ledger does through its port alone, without HTTP: `npm run build`, then
// `node test/bench/micro/embedded-ledger.mjs [seconds]`. Each submit is signed, endorsed, in a block and fsynced when it counts.
import { fdatasyncSync, mkdtempSync, openSync, closeSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createEmbeddedLedger } from '../../../dist/test/ledgers.js';

const seconds = Number(process.argv[2] ?? 5);
const dataDir = mkdtempSync(join(tmpdir(), 'ledger-bench-'));
const names = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };
let blocks = 0;
const ledger = await createEmbeddedLedger({ dataDir, ...names, onCommit: () => blocks++ });
const channel = ledger;
const create = (id, options = {}) =>
  channel.submit({ function: 'CreateAsset', arguments: [`asset-${id}`, 'blue', '5', 'Tomoko', '300'] }, options);
let created = 0;

/** Milliseconds at a share of the sorted samples. */
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

function report(name, figures) {
  console.log(
    name.padEnd(34),
    Object.entries(figures)
      .map(([key, value]) => `${key} ${value}`)
      .join('  '),
  );
}

/** Keeps a number of submits in flight for a while, signed by several callers in turn, or by the service. */
async function submits(inFlight, ms, callers = 0) {
  const start = performance.now();
  const [from, blocksFrom, cpu] = [created, blocks, process.cpuUsage()];
  const latencies = [];
  const worker = async () => {
    while (performance.now() - start < ms) {
      const since = performance.now();
      const id = created++;
      await create(id, callers === 0 ? {} : { caller: `caller-${id % callers}` });
      latencies.push(performance.now() - since);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const elapsed = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const count = created - from;
  latencies.sort((a, b) => a - b);
  report(`submit, ${inFlight} in flight${callers === 0 ? '' : `, ${callers} callers`}`, {
    'per second': Math.round(count / elapsed),
    'p50 ms': at(latencies, 0.5).toFixed(2),
    'p99 ms': at(latencies, 0.99).toFixed(2),
    'per block': (count / (blocks - blocksFrom)).toFixed(1),
    'CPU µs each': ((user + system) / count).toFixed(0),
  });
}

/** One fsync of the pages that a lone submit writes, in its own file. */
function fsyncs() {
  const path = join(dataDir, 'fsync');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(8 * 4096, 1);
  const samples = [];
  for (let n = 0; n < 300; n++) {
    writeSync(file, page);
    const since = performance.now();
    fdatasyncSync(file);
    samples.push(performance.now() - since);
  }
  closeSync(file);
  rmSync(path);
  samples.sort((a, b) => a - b);
  report('one fsync of 32 KiB', { 'p50 ms': at(samples, 0.5).toFixed(2), 'p99 ms': at(samples, 0.99).toFixed(2) });
}

async function reads(ms) {
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < ms) {
    // As many as one turn of a busy server's event loop serves.
    for (let n = 0; n < 16; n++) {
      await channel.evaluate({ function: 'ReadAsset', arguments: [`asset-${(count * 7919) % created}`] });
      count++;
    }
    await new Promise(setImmediate);
  }
  report('evaluate ReadAsset', { 'per second': Math.round((count / (performance.now() - start)) * 1000) });
}

try {
  await submits(64, 1000);
  await submits(64, seconds * 1000);
  await submits(64, 1000, 20);
  await submits(64, seconds * 1000, 20);
  await submits(256, seconds * 1000);
  await submits(256, seconds * 1000, 20);
  fsyncs();
  await submits(1, 2000);
  await reads(2000);
  const { height } = await channel.chainInfo();
  await ledger.close();
  const bytes = statSync(join(dataDir, 'channels', names.channel, 'ledger.db')).size;
  report('disk', { transactions: created, blocks: height, 'bytes each': Math.round(bytes / created) });
  const since = performance.now();
  await (await createEmbeddedLedger({ dataDir, ...names })).close();
  report('open and close again', { ms: Math.round(performance.now() - since) });
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
