// The scenario `events` of `npm run bench:ledger`: what a client that follows costs, quiet and busy.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BARE_HTTP, endCandidate, OURS, runLoad, startCandidate } from './ledger-candidates.mjs';
import { cpuSeconds, end } from './processes.mjs';

const QUIET = 1000;
const WARM = 50;
const BUSY = 100;
/** Creates of busy clients: as many as there can be, one after the other on a few connections; and a thousand a second. */
const LOADS = {
  'flat out': { connections: 8, pace: [] },
  'at 1,000 a second': { connections: 64, pace: [1000] },
};
const KIB = 1024;

/** 1,000 clients without events next to as many of bare node:http; creates with 100 clients that receive each of them. */
export async function events(directory, { rounds, milliseconds }) {
  mkdirSync(directory, { recursive: true });
  try {
    const [ours, bare] = [await quiet(OURS, join(directory, 'ours')), await quiet(BARE_HTTP, join(directory, 'bare'))];
    return {
      'KiB of heap each of 1,000 quiet clients': ours.inUse,
      'the same of bare node:http': bare.inUse,
      'KiB resident each': ours.rss,
      'the same of bare node:http, KiB': bare.rss,
      'resident, of bare node:http': ours.rss / bare.rss,
      ...(await busy(join(directory, 'busy'), { rounds, milliseconds })),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** KiB that a candidate holds for each of many open streams, behind a few that have gone. */
async function quiet(name, directory) {
  mkdirSync(directory);
  const execArgv = ['--expose-gc', '--import', './test/bench/load/collect-garbage.mjs'];
  const candidate = await startCandidate(name, directory, {}, execArgv);
  try {
    await close(await open(candidate.port, WARM));
    await sleep(2000);
    const before = await collected(candidate);
    const sockets = await open(candidate.port);
    const after = await collected(candidate);
    await close(sockets);
    return { inUse: (after.inUse - before.inUse) / QUIET / KIB, rss: (after.rss - before.rss) / QUIET / KIB };
  } finally {
    await endCandidate(candidate);
  }
}

async function collected({ child }) {
  const answer = once(child, 'message');
  child.send('collect');
  return (await answer)[0];
}

async function open(port, count = QUIET) {
  const sockets = [];
  while (sockets.length < count) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write('GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
  }
  return sockets;
}

async function close(sockets) {
  await Promise.all(
    sockets.map(async (socket) => {
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    }),
  );
}

/** Creates without and with those who follow, in turn on one ledger, flat out and paced. */
async function busy(directory, { rounds, milliseconds }) {
  mkdirSync(directory);
  const candidate = await startCandidate(OURS, directory);
  const samples = Object.fromEntries(Object.keys(LOADS).map((load) => [load, { alone: [], followed: [] }]));
  try {
    let { next } = await runLoad('scatter', candidate.port, 8, 2 * milliseconds, 'bench', 0);
    for (let round = 0; round < 2 * rounds; round++) {
      for (const [load, ways] of Object.entries(samples)) {
        for (const way of round % 2 === 0 ? ['alone', 'followed'] : ['followed', 'alone']) {
          const { figures, ...result } = await creates(candidate, milliseconds, next, LOADS[load], way === 'followed');
          next = result.next;
          ways[way].push(figures);
        }
      }
    }
  } finally {
    await endCandidate(candidate);
  }
  return Object.assign({}, ...Object.entries(samples).map(([load, ways]) => figuresOf(load, ways, rounds)));
}

async function creates(candidate, milliseconds, from, { connections, pace }, isFollowed) {
  const followers = isFollowed ? await follow(candidate.port) : undefined;
  const before = cpuSeconds(candidate.pid);
  const { next, done, ...result } = await runLoad(
    'scatter',
    candidate.port,
    connections,
    milliseconds,
    'bench',
    from,
    ...pace,
  );
  await followers?.end(done);
  const cpu = ((cpuSeconds(candidate.pid) - before) * 1e6) / done;
  return { next, figures: { rate: done / result.seconds, cpu, p99: result.p99 } };
}

function figuresOf(load, ways, rounds) {
  const median = (way, figure) => ways[way].map((each) => each[figure]).sort((a, b) => a - b)[rounds];
  return {
    [`creates a second, ${load}`]: median('alone', 'rate'),
    [`creates a second, each to ${BUSY} clients, ${load}`]: median('followed', 'rate'),
    [`of those without, ${load}`]: median('followed', 'rate') / median('alone', 'rate'),
    [`p99 ms of a create, ${load}`]: median('alone', 'p99'),
    [`p99 ms of one to ${BUSY} clients, ${load}`]: median('followed', 'p99'),
    [`CPU µs of a create, ${load}`]: median('alone', 'cpu'),
    [`CPU µs of one to ${BUSY} clients, ${load}`]: median('followed', 'cpu'),
  };
}

async function follow(port) {
  const child = fork('test/bench/load/events-follow.mjs', [String(port), String(BUSY)], { execArgv: [] });
  await once(child, 'message');
  return {
    /** Waits until each has received that number of events, and closes them. */
    async end(wanted) {
      for (const limit = performance.now() + 60_000; ;) {
        const answer = once(child, 'message');
        child.send('count');
        const [{ least, most }] = await answer;
        if (most > wanted) throw new Error(`a client got ${most} of ${wanted} events`);
        if (least === wanted) break;
        if (performance.now() > limit) throw new Error(`a client got ${least} of ${wanted} events`);
        await sleep(20);
      }
      await end(child);
    },
  };
}
