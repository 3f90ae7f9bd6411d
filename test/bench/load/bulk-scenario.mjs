// Uploads of many assets with random ids: compared with single creates on the same ledger, and with a bare node:sqlite program that
// inserts the same rows in the same batches. And what a reader notices meanwhile.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { endCandidate, OURS, runLoad, startCandidate } from './ledger-candidates.mjs';
import { cpuSeconds } from './processes.mjs';

const CONNECTIONS = 64;
const READERS = 8;
const BATCH = 500;

/** The lines of an upload, made before its time is taken. */
function chunksOf(count) {
  const chunks = [];
  for (let done = 0; done < count; done += BATCH) {
    const lines = Array.from({ length: BATCH }, (_, n) => {
      const asset = {
        id: randomUUID(),
        appraisedValue: '300',
        color: 'blue',
        owner: `owner-${(done + n) % 1000}`,
        size: '5',
      };
      return `${JSON.stringify(asset)}\n`;
    });
    chunks.push(Buffer.from(lines.join('')));
  }
  return chunks;
}

/** Uploads assets on one connection, and returns the seconds and CPU seconds until all of them are durable. */
async function upload({ port, pid }, count) {
  const chunks = chunksOf(count);
  const [began, cpu] = [performance.now(), cpuSeconds(pid)];
  const headers = { 'content-type': 'application/x-ndjson' };
  const outgoing = request({ host: '127.0.0.1', port, path: '/api/v1/assets', method: 'POST', headers, agent: false });
  const answered = once(outgoing, 'response');
  await pipeline(Readable.from(chunks, { objectMode: true }), outgoing);
  const [response] = await answered;
  const { data, message } = JSON.parse(await text(response));
  if (data?.created !== count)
    throw new Error(`${count} assets were uploaded: ${message} ${JSON.stringify(data)?.slice(0, 300)}`);
  return { seconds: (performance.now() - began) / 1000, cpu: cpuSeconds(pid) - cpu };
}

async function bare(directory, count) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['test/bench/load/bulk-bare.mjs', directory, count, BATCH].map(String),
  );
  return JSON.parse(stdout);
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

export async function bulk(directory, { rounds, milliseconds, assets }) {
  const bareDirectory = join(directory, 'bare');
  const ownDirectory = join(directory, 'own');
  for (const path of [bareDirectory, ownDirectory]) mkdirSync(path, { recursive: true });
  const candidate = await startCandidate(OURS, ownDirectory);
  const read = async (duration) => runLoad('get', candidate.port, READERS, duration, 'bench', 1000);
  const samples = {
    uploads: [],
    cpu: [],
    bare: [],
    bareCpu: [],
    singles: [],
    singlesCpu: [],
    inTurn: [],
    alone: [],
    meanwhile: [],
  };
  try {
    // Compiles the code, and creates what is read.
    let { next } = await runLoad('post', candidate.port, CONNECTIONS, 2 * milliseconds, 'bench', 0);
    let scattered = (await runLoad('scatter', candidate.port, CONNECTIONS, milliseconds, 'bench', 0)).next;
    if (next < 1000) throw new Error('Fewer than 1000 assets were created.');
    await upload(candidate, 10 * BATCH);
    await read(milliseconds);
    for (let round = 0; round < rounds; round++) {
      const { seconds, cpu } = await upload(candidate, assets);
      samples.uploads.push(assets / seconds);
      samples.cpu.push((cpu * 1e6) / assets);
      const rows = await bare(bareDirectory, assets);
      samples.bare.push(assets / rows.seconds);
      samples.bareCpu.push((rows.cpu * 1e6) / assets);
      const before = cpuSeconds(candidate.pid);
      const singles = await runLoad('scatter', candidate.port, CONNECTIONS, milliseconds, 'bench', scattered);
      scattered = singles.next;
      samples.singles.push(singles.done / singles.seconds);
      samples.singlesCpu.push(((cpuSeconds(candidate.pid) - before) * 1e6) / singles.done);
      const inTurn = await runLoad('scatter', candidate.port, 1, milliseconds, 'bench', scattered);
      scattered = inTurn.next;
      samples.inTurn.push(inTurn.done / inTurn.seconds);
      samples.alone.push((await read(milliseconds)).p99);
      const uploading = upload(candidate, assets);
      samples.meanwhile.push((await read(milliseconds)).p99);
      await uploading;
    }
  } finally {
    await endCandidate(candidate);
    rmSync(directory, { recursive: true });
  }
  const figures = Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
  return {
    'assets a second by an upload': figures.uploads,
    'CPU µs each': figures.cpu,
    'rows a second of bare node:sqlite': figures.bare,
    'CPU µs of a row': figures.bareCpu,
    'of the bare program': figures.uploads / figures.bare,
    'single creates a second by 64 connections': figures.singles,
    'of single creates': figures.uploads / figures.singles,
    'single creates a second by a client that waits for each answer': figures.inTurn,
    'of those': figures.uploads / figures.inTurn,
    'CPU µs of a single create': figures.singlesCpu,
    'of the CPU of an uploaded asset': figures.singlesCpu / figures.cpu,
    'p99 ms of a read': figures.alone,
    'p99 ms of a read during an upload': figures.meanwhile,
    'of a read alone': figures.meanwhile / figures.alone,
  };
}
