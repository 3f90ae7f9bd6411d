// The scenarios of `npm run bench:fabric`. Each returns the figures of one candidate.
import { cpuSeconds, residentKiB } from './processes.mjs';

/** Connections to the API, or calls at once through an SDK. */
export const CONNECTIONS = [1, 16, 64, 256];

const MIB = 1024 ** 2;
/** Writes before memory is looked at first: caches are full and code is compiled by then. */
const SETTLED_AFTER = 2000;

async function loaded(candidate, mode, connections, { milliseconds, name, assets }) {
  const before = cpuSeconds(candidate.pid);
  const result = await candidate.load(mode, connections, milliseconds, name, assets);
  const figures = {
    'per second': result.done / result.seconds,
    'p50 ms': result.p50,
    'p99 ms': result.p99,
    'CPU ms each': ((cpuSeconds(candidate.pid) - before) * 1e3) / result.done,
  };
  return { ...result, figures };
}

/** Creates with their own ids. */
export async function create(candidate, connections, { milliseconds }) {
  const options = { milliseconds, name: candidate.assets, assets: candidate.created };
  const { figures, next } = await loaded(candidate, 'post', connections, options);
  candidate.created = next;
  return figures;
}

/** Reads of the same assets for all candidates. */
export async function read(candidate, connections, { milliseconds, seeds }) {
  return (await loaded(candidate, 'get', connections, { milliseconds, ...seeds })).figures;
}

/** Milliseconds of one create without other load. */
export async function lone(candidate) {
  const { p50, next } = await candidate.load('post', 1, 1, candidate.assets, candidate.created);
  candidate.created = next;
  return p50;
}

/** How memory grows over that many writes: looked at in rest, with garbage collected, after 2,000 of them and at the end. */
export async function memory(candidate, { writes }) {
  const after = async (count) => {
    while (candidate.created < count) {
      const { next } = await candidate.load('post', 256, 3000, candidate.assets, candidate.created);
      candidate.created = next;
    }
    const { inUse } = await candidate.collect();
    return { created: candidate.created, inUse: inUse / MIB, resident: residentKiB(candidate.pid) / 1024 };
  };
  const settled = await after(SETTLED_AFTER);
  const end = await after(writes);
  return {
    writes: end.created,
    [`resident MiB after ${SETTLED_AFTER.toLocaleString('en')}`]: settled.resident,
    'resident MiB at the end': end.resident,
    [`in use MiB after ${SETTLED_AFTER.toLocaleString('en')}`]: settled.inUse,
    'in use MiB at the end': end.inUse,
    'in use, bytes more a write': ((end.inUse - settled.inUse) * MIB) / Math.max(1, end.created - settled.created),
  };
}
