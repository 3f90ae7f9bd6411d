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

/** Compares an upload with the bare program and with single creates, on ledgers with equally many rows. */
async function compare(candidate, bareDirectory, { assets, milliseconds, scattered }) {
  const { seconds, cpu } = await upload(candidate, assets);
  const rows = await bare(bareDirectory, assets);
  const before = cpuSeconds(candidate.pid);
  const singles = await runLoad('scatter', candidate.port, CONNECTIONS, milliseconds, 'bench', scattered);
  const singlesCpu = cpuSeconds(candidate.pid) - before;
  const inTurn = await runLoad('scatter', candidate.port, 1, milliseconds, 'bench', singles.next);
  const figures = {
    'assets a second by an upload': assets / seconds,
    'CPU µs each': (cpu * 1e6) / assets,
    'rows a second of bare node:sqlite': assets / rows.seconds,
    'CPU µs of a row': (rows.cpu * 1e6) / assets,
    'single creates a second by 64 connections': singles.done / singles.seconds,
    'CPU µs of a single create': (singlesCpu * 1e6) / singles.done,
    'single creates a second by a client that waits for each answer': inTurn.done / inTurn.seconds,
  };
  return { figures, next: inTurn.next };
}

/** One round on a new ledger: an upload into it, what a reader notices of one, and an upload when it is four times as large. */
async function round(directory, { assets, milliseconds }) {
  const bareDirectory = join(directory, 'bare');
  const ownDirectory = join(directory, 'own');
  for (const path of [bareDirectory, ownDirectory]) mkdirSync(path, { recursive: true });
  const candidate = await startCandidate(OURS, ownDirectory);
  const read = async () => (await runLoad('get', candidate.port, READERS, milliseconds, 'bench', 1000)).p99;
  try {
    // Compiles the code, and creates what is read.
    const { next } = await runLoad('post', candidate.port, CONNECTIONS, 2 * milliseconds, 'bench', 0);
    if (next < 1000) throw new Error('Fewer than 1000 assets were created.');
    const warm = await runLoad('scatter', candidate.port, CONNECTIONS, milliseconds, 'bench', 0);
    await upload(candidate, 10 * BATCH);
    await read();
    const first = await compare(candidate, bareDirectory, { assets, milliseconds, scattered: warm.next });
    const alone = await read();
    const uploading = upload(candidate, assets);
    const meanwhile = await read();
    await uploading;
    await upload(candidate, assets);
    await bare(bareDirectory, 2 * assets);
    const later = await compare(candidate, bareDirectory, { assets, milliseconds, scattered: first.next });
    const reads = { 'p99 ms of a read': alone, 'p99 ms of a read during an upload': meanwhile };
    return { first: first.figures, later: later.figures, reads };
  } finally {
    await endCandidate(candidate);
    rmSync(directory, { recursive: true });
  }
}

/** Adds what the figures of an upload are of those that it is compared with. */
function withRatios(figures) {
  const uploads = figures['assets a second by an upload'];
  return {
    ...figures,
    'of the bare program': uploads / figures['rows a second of bare node:sqlite'],
    'of single creates by 64 connections': uploads / figures['single creates a second by 64 connections'],
    'of single creates by one client':
      uploads / figures['single creates a second by a client that waits for each answer'],
    'of the CPU of an uploaded asset': figures['CPU µs of a single create'] / figures['CPU µs each'],
  };
}

export async function bulk(directory, { rounds, milliseconds, assets }) {
  const samples = [];
  for (let n = 0; n < rounds; n++) samples.push(await round(join(directory, `round-${n}`), { assets, milliseconds }));
  const medians = (part) =>
    Object.fromEntries(
      Object.keys(samples[0][part]).map((name) => [name, median(samples.map((sample) => sample[part][name]))]),
    );
  const reads = medians('reads');
  const later = Object.entries(withRatios(medians('later')));
  const place = `into ${(3 * assets).toLocaleString('en')}`;
  return {
    ...withRatios(medians('first')),
    ...reads,
    'of a read alone': reads['p99 ms of a read during an upload'] / reads['p99 ms of a read'],
    ...Object.fromEntries(later.map(([name, value]) => [`${place}: ${name}`, value])),
  };
}
