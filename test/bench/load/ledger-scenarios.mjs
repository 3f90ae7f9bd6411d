// The scenarios of `npm run bench:ledger`. The first four run both candidates, interleaved; the others only ours.
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
  readdirSync,
} from 'node:fs';
import { execFile } from 'node:child_process';
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cpuSeconds, residentKiB } from './processes.mjs';
import {
  addCallers,
  endCandidate,
  OURS,
  runLoad,
  runLoadAs,
  startCandidate,
  threadTicks,
} from './ledger-candidates.mjs';

const CONNECTIONS = 64;
/** About what lies between the fsyncs of two lone creates. */
const PAUSE_MS = 1;
const TICKS_PER_SECOND = 100;
const MIB = 1024;
/** Assets on a page. */
const PAGE = 50;

async function loaded(candidate, mode, connections, milliseconds, assets) {
  const before = cpuSeconds(candidate.pid);
  const result = await runLoadAs(
    candidate.keys ?? [],
    mode,
    candidate.port,
    connections,
    milliseconds,
    'bench',
    assets,
  );
  const cpu = ((cpuSeconds(candidate.pid) - before) * 1e6) / result.done;
  return {
    ...result,
    figures: {
      'per second': result.done / result.seconds,
      'p50 ms': result.p50,
      'p99 ms': result.p99,
      'CPU µs each': cpu,
    },
  };
}

/** Reads of assets that were created before. */
export async function get(candidate, { milliseconds }) {
  await runLoad('get', candidate.port, CONNECTIONS, 1000, 'bench', candidate.created - CONNECTIONS);
  const { figures } = await loaded(candidate, 'get', CONNECTIONS, milliseconds, candidate.created - CONNECTIONS);
  return figures;
}

/** Creates with ids in order, which go to the end of a table; with where the CPU time went, by thread. */
export async function post(candidate, { milliseconds }) {
  const { next, figures } = await creates(candidate, 'post', milliseconds, candidate.created);
  candidate.created = next;
  return figures;
}

/** Creates with ids in no order, each of which goes to another page of a table. */
export async function scatter(candidate, { milliseconds }) {
  const { next, figures } = await creates(candidate, 'scatter', milliseconds, candidate.scattered);
  candidate.scattered = next;
  return figures;
}

async function creates(candidate, mode, milliseconds, from) {
  const warm = await runLoad(mode, candidate.port, CONNECTIONS, 1000, 'bench', from);
  const ticks = threadTicks(candidate.pid);
  const result = await loaded(candidate, mode, CONNECTIONS, milliseconds, warm.next);
  const threads = [...threadTicks(candidate.pid)].map(([name, after]) => {
    const each = ((after - (ticks.get(name) ?? 0)) * 1e6) / TICKS_PER_SECOND / result.done;
    return [`CPU µs in ${name}`, each];
  });
  const figures = { ...result.figures, ...Object.fromEntries(threads.filter(([, each]) => each >= 1)) };
  return { next: result.next, figures };
}

/**
 * One create after the other, compared with what one fsync of as many bytes takes on this disk: one behind a pause, as that of a
 * lone create comes, and one straight behind another, which finds everything awake.
 */
export async function lone(candidate, { milliseconds }) {
  const fsync = await fsyncMilliseconds(candidate.directory, PAUSE_MS);
  const straight = await fsyncMilliseconds(candidate.directory, 0);
  const result = await loaded(candidate, 'post', 1, milliseconds, candidate.created);
  candidate.created = result.next;
  const { 'p50 ms': p50, 'p99 ms': p99 } = result.figures;
  return {
    'p50 ms': p50,
    'p99 ms': p99,
    'fsync ms': fsync,
    'fsyncs each': p50 / fsync,
    'fsync straight behind another, ms': straight,
    'such fsyncs each': p50 / straight,
  };
}

/** Median time of writing 16 KiB (what a lone create adds to the write-ahead log) and waiting for the disk. */
async function fsyncMilliseconds(directory, pause) {
  const path = join(directory, 'fsync-probe');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(16 * 1024, 7);
  const times = [];
  while (times.length < 200) {
    if (pause > 0) await sleep(pause);
    const began = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    times.push(performance.now() - began);
  }
  closeSync(file);
  rmSync(path);
  return times.sort((a, b) => a - b)[100];
}

/** Creates without and with an Idempotency-Key, in turn on one ledger. */
export async function keyed(directory, { rounds, milliseconds }) {
  mkdirSync(directory, { recursive: true });
  const candidate = await startCandidate(OURS, directory);
  const modes = ['scatter', 'keyed'];
  const samples = { scatter: [], keyed: [] };
  try {
    let { next } = await runLoad('scatter', candidate.port, CONNECTIONS, 3 * milliseconds, 'bench', 0);
    for (let round = 0; round < 2 * rounds; round++) {
      for (const mode of round % 2 === 0 ? modes : modes.toReversed()) {
        const result = await loaded(candidate, mode, CONNECTIONS, milliseconds, next);
        next = result.next;
        samples[mode].push(result.figures);
      }
    }
  } finally {
    await endCandidate(candidate);
    rmSync(directory, { recursive: true });
  }
  const median = (mode, figure) => samples[mode].map((each) => each[figure]).sort((a, b) => a - b)[rounds];
  const [plain, withKey] = modes.map((mode) => median(mode, 'per second'));
  return {
    'creates a second': plain,
    'creates with a key': withKey,
    'of those without': withKey / plain,
    'CPU of those without': median('keyed', 'CPU µs each') / median('scatter', 'CPU µs each'),
  };
}

/**
 * Reads with a key and without, and creates of 20 callers who sign themselves, compared with creates that the service
 * signs: two ledgers of ours in turn, without callers and with 20.
 */
export async function callers(directory, { rounds, milliseconds }) {
  const [open, closed] = ['open', 'closed'].map((name) => join(directory, name));
  for (const path of [open, closed]) mkdirSync(path, { recursive: true });
  const keys = await addCallers(closed, 20);
  const both = [
    await startCandidate(OURS, open),
    { ...(await startCandidate(OURS, closed, { LEDGER_AUTH: 'on' })), keys },
  ];
  const samples = both.map(() => ({ get: [], scatter: [] }));
  const next = [];
  try {
    for (const [index, { keys: own = [], port }] of both.entries()) {
      next[index] = (await runLoadAs(own, 'post', port, CONNECTIONS, 3 * milliseconds, 'bench', 0)).next;
    }
    const created = Math.min(...next);
    for (const { keys: own = [], port } of both) {
      await runLoadAs(own, 'get', port, CONNECTIONS, 3 * milliseconds, 'bench', created);
    }
    for (let round = 0; round < 2 * rounds; round++) {
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const candidate = both[index];
        const reads = await loaded(candidate, 'get', CONNECTIONS, milliseconds, created);
        samples[index].get.push(reads.figures);
        const writes = await loaded(candidate, 'scatter', CONNECTIONS, milliseconds, next[index]);
        next[index] = writes.next;
        samples[index].scatter.push(writes.figures);
      }
    }
  } finally {
    await Promise.all(both.map(endCandidate));
  }
  const bytes = [open, closed].map((path, index) => bytesBelow(path) / next[index]);
  rmSync(directory, { recursive: true });
  const median = (index, mode, figure) =>
    samples[index][mode].map((each) => each[figure]).sort((a, b) => a - b)[rounds];
  const ratio = (mode, figure) => median(1, mode, figure) / median(0, mode, figure);
  return {
    'reads a second': median(0, 'get', 'per second'),
    'reads with a key': median(1, 'get', 'per second'),
    'of those without': ratio('get', 'per second'),
    'CPU of a read, of one without': ratio('get', 'CPU µs each'),
    'creates a second, signed by the service': median(0, 'scatter', 'per second'),
    'creates by 20 callers': median(1, 'scatter', 'per second'),
    'of the creates of the service': ratio('scatter', 'per second'),
    'bytes on disk a transaction, of those': bytes[1] / bytes[0],
  };
}

/** The whole list during creates: first byte, end, growth of the process. */
export async function list(directory, { assets }) {
  await fill(directory, assets);
  const candidate = await startCandidate(OURS, directory);
  try {
    const created = await runLoad('post', candidate.port, 8, 2000, `before-${Date.now()}`, 0);
    const settled = residentKiB(candidate.pid);
    let highest = settled;
    const watch = setInterval(() => (highest = Math.max(highest, residentKiB(candidate.pid))), 10);
    const writes = runLoad('post', candidate.port, 8, 6000, `during-${Date.now()}`, 0);
    await sleep(1000);
    const lists = [];
    for (let index = 0; index < 5; index++) lists.push(await readList(candidate.port));
    const during = await writes;
    clearInterval(watch);
    const reads = await readsDuringLists(candidate.port);
    const median = (key) => lists.map((each) => each[key]).sort((a, b) => a - b)[2];
    return {
      assets: lists[0].assets,
      'first byte ms': median('first'),
      'whole list ms': median('whole'),
      'MiB read': lists[0].bytes / 1024 ** 2,
      'process grew by MiB': (highest - settled) / MIB,
      'creates a second before': created.done / created.seconds,
      'creates a second meanwhile': during.done / during.seconds,
      ...reads,
    };
  } finally {
    await endCandidate(candidate);
  }
}

/** Reads of one asset by 8 connections: alone, and while 8 clients read lists one after the other, whole and in pages. */
async function readsDuringLists(port) {
  const read = async () => runLoad('get', port, 8, 4000, 'fill', 1000);
  const readsDuring = async (readLists) => {
    const lists = { go: true };
    const readers = Array.from({ length: 8 }, async () => readLists(port, lists));
    const { p99 } = await read();
    lists.go = false;
    await Promise.all(readers);
    return p99;
  };
  await read();
  const { p99: alone } = await read();
  return {
    'p99 ms of a read': alone,
    'p99 ms of a read next to 8 lists': await readsDuring(async (at, lists) => {
      while (lists.go) await readList(at);
    }),
    [`p99 ms of a read next to 8 lists in pages of ${PAGE}`]: await readsDuring(readPages),
  };
}

/** Follows the pages of the list on one connection, from the beginning again behind the last one. */
async function readPages(port, lists) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const first = `/api/v1/assets?limit=${PAGE}`;
  for (let path = first; lists.go; path ??= first) {
    const outgoing = request({ host: '127.0.0.1', port, path, agent });
    outgoing.end();
    const [response] = await once(outgoing, 'response');
    if (response.statusCode !== 200) throw new Error(`GET ${path} was answered with ${response.statusCode}`);
    response.resume();
    await once(response, 'end');
    path = /<([^>]+)>; rel="next"/.exec(response.headers.link ?? '')?.[1];
  }
  agent.destroy();
}

async function readList(port) {
  const began = performance.now();
  const outgoing = request({ host: '127.0.0.1', port, path: '/api/v1/assets', agent: false });
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  let [first, bytes, assets] = [0, 0, 0];
  for await (const chunk of response) {
    first ||= performance.now() - began;
    bytes += chunk.length;
    for (let at = chunk.indexOf('{"ID"'); at !== -1; at = chunk.indexOf('{"ID"', at + 1)) assets += 1;
  }
  return { first, whole: performance.now() - began, bytes, assets };
}

export async function fill(directory, count) {
  console.log(`filling ${directory} with ${count.toLocaleString('en')} transactions (kept for the next run)`);
  const args = ['test/bench/load/ledger-fill.mjs', directory, String(count)];
  const child = promisify(execFile)(process.execPath, args);
  child.child.stdout.pipe(process.stdout);
  await child;
}

/** Starts on a large ledger: until ready, memory at rest, disk a transaction. */
export async function start(directory, { transactions }) {
  await fill(directory, transactions);
  const times = [];
  let rest = 0;
  for (let index = 0; index < 3; index++) {
    const candidate = await startCandidate(OURS, directory);
    times.push(candidate.milliseconds);
    await sleep(3000);
    rest = residentKiB(candidate.pid);
    await endCandidate(candidate);
  }
  return {
    transactions,
    'start ms': times.sort((a, b) => a - b)[1],
    'memory at rest MiB': rest / MIB,
    'bytes on disk a transaction': bytesBelow(directory) / transactions,
  };
}

function bytesBelow(directory) {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** Whether a directory is in memory, where an fsync costs nothing and figures of writes mean nothing. */
export function isInMemory(directory) {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  const above = mounts.filter(([, point]) => point === '/' || `${directory}/`.startsWith(`${point}/`));
  const [, , type] = above.sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
  return type === 'tmpfs' || type === 'ramfs';
}
