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
/** About a thousand writes a second. */
const WRITERS = 8;
const KIB = 1024;

/** 1,000 clients for whom nothing comes beside as many of bare node:http; creates beside 100 who get each of them. */
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

/** Creates without and with those who follow, in turn on one ledger. */
async function busy(directory, { rounds, milliseconds }) {
  mkdirSync(directory);
  const candidate = await startCandidate(OURS, directory);
  const samples = { alone: [], followed: [] };
  try {
    let { next } = await runLoad('scatter', candidate.port, WRITERS, 2 * milliseconds, 'bench', 0);
    for (let round = 0; round < 2 * rounds; round++) {
      for (const way of round % 2 === 0 ? ['alone', 'followed'] : ['followed', 'alone']) {
        const followers = way === 'followed' ? await follow(candidate.port) : undefined;
        const before = cpuSeconds(candidate.pid);
        const result = await runLoad('scatter', candidate.port, WRITERS, milliseconds, 'bench', next);
        next = result.next;
        await followers?.end(result.done);
        const cpu = ((cpuSeconds(candidate.pid) - before) * 1e6) / result.done;
        samples[way].push({ rate: result.done / result.seconds, cpu });
      }
    }
  } finally {
    await endCandidate(candidate);
  }
  const median = (way, figure) => samples[way].map((each) => each[figure]).sort((a, b) => a - b)[rounds];
  return {
    'creates a second': median('alone', 'rate'),
    'creates a second, each to 100 clients': median('followed', 'rate'),
    'of those without': median('followed', 'rate') / median('alone', 'rate'),
    'CPU µs of a create': median('alone', 'cpu'),
    'CPU µs of one to 100 clients': median('followed', 'cpu'),
  };
}

async function follow(port) {
  const child = fork('test/bench/load/events-follow.mjs', [String(port), String(BUSY)], { execArgv: [] });
  await once(child, 'message');
  return {
    /** Waits until each has got so many events, and ends them. */
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
