// The scenarios of `npm run bench:proxy`. Each runs one candidate that was started afresh and returns named figures; the
// SOCKS5 server alone (`via: socks`) is the ceiling and shows that the load generator is not the limit.
import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { delayRelay } from './delay-relay.mjs';
import { cpuSeconds, holdTunnels, residentKiB, runClient } from './processes.mjs';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const SECONDS = 1000;
const DELAY_MS = 50;
const PEAK_TUNNELS = 9900;
const PEAK_SECONDS = 20;
const PEAK_ABORTED = 20_480;
const IDLE_SECONDS = 30;
/** The time between opening idle tunnels and reading the memory, so that each candidate can return what it used. */
const SETTLE_SECONDS = 5;
/** The tunnels and requests after which a just-in-time compiler is done with the main path. */
export const WARM_UP = { rate: 8000, http: 50_000 };
/** A slow candidate is measured after this time. */
const WARM_UP_SECONDS = 60;
/** The admin pages are loaded within this time. */
const PAGES_SECONDS = 2;

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function measured(pid, run) {
  const before = pid === undefined ? 0 : cpuSeconds(pid);
  const result = await run();
  return { ...result, cpu: pid === undefined ? undefined : cpuSeconds(pid) - before };
}

async function bulk(target, mode, connections, totalBytes) {
  const args = [target.via, target.port, target.origin];
  const last = target.fields ?? '';
  await runClient(['down', ...args, 1, 64 * MIB, last]);
  const each = Math.floor(totalBytes / connections);
  const load = [mode, ...args, connections, each, last];
  const { seconds, failed, cpu } = await measured(target.pid, () => runClient(load));
  if (failed > 0) throw new Error(`${failed} of ${connections} tunnels failed`);
  return { 'MiB/s': totalBytes / MIB / seconds, 'CPU s/GiB': cpu && cpu / (totalBytes / GIB) };
}

/** As bulk, through a listener with TLS, whose client encrypts with OpenSSL. */
async function tls({ pid, port, bytes }, mode) {
  await runClient([mode, port, 64 * MIB], 'tls-client');
  const { seconds, cpu } = await measured(pid, () => runClient([mode, port, bytes], 'tls-client'));
  return { 'MiB/s': bytes / MIB / seconds, 'CPU s/GiB': cpu / (bytes / GIB) };
}

/** Runs a load until it has done a number of its units. */
async function warmUp(args, fields, count) {
  const start = performance.now();
  for (let done = 0; done < count && performance.now() - start < WARM_UP_SECONDS * SECONDS;)
    done += (await runClient([...args, SECONDS, fields])).done;
}

async function rate(target, mode, perSecond, unit) {
  const { fields = '' } = target;
  const args = [mode, target.via, target.port, target.origin, 64];
  await warmUp(args, fields, WARM_UP[mode]);
  const servedBefore = await target.served();
  const result = await measured(target.pid, () => runClient([...args, target.seconds * SECONDS, fields]));
  const upstream = (await target.served()) - servedBefore;
  return {
    [perSecond]: result.done / result.seconds,
    'p50 ms': result.p50,
    'p99 ms': result.p99,
    [`CPU ms/${unit}`]: result.cpu && (result.cpu * 1000) / result.done,
    ...(mode === 'http' && { 'upstream connections/request': upstream / result.done }),
    failed: result.failed,
  };
}

/** What a request costs that is not the plain GET, of what that one costs, both measured on the same process in turn. */
async function forms(target) {
  const cost = async (mode) => {
    const args = [mode, target.via, target.port, target.origin, 64];
    await warmUp(args, '', WARM_UP.http / 2);
    const { done, cpu } = await measured(target.pid, () => runClient([...args, target.seconds * SECONDS]));
    return (cpu * 1000) / done;
  };
  const get = await cost('http');
  const touch = await cost('touch');
  return {
    'CPU ms/request': get,
    'POST of 1 KiB, of the GET': (await cost('post')) / get,
    'head in two reads, of the GET': (await cost('split')) / get,
    // Less what opening and closing a connection costs, which is not the request's.
    'Connection: close, of the GET': ((await cost('close')) - touch) / get,
  };
}

/** The memory that a tunnel needs while nothing happens, read when all tunnels have been open for a while. */
async function idle(target) {
  const before = residentKiB(target.pid);
  const held = await holdTunnels([target.via, target.port, target.origin, 2000, 0]);
  await sleep(SETTLE_SECONDS * SECONDS);
  const grown = residentKiB(target.pid) - before;
  await held.release();
  return {
    'KiB/idle tunnel': grown / held.open,
    'tunnels open': held.open,
    'MiB at rest': before / 1024,
    'ms to the first tunnel': target.firstMs,
  };
}

/**
 * The cost of a start, compared with a Node that does nothing; and how long an open tunnel pauses while the admin pages are
 * loaded, if there are any (of a tunnel that nothing disturbs, if not).
 */
async function start(target) {
  const atRest = residentKiB(target.pid) / 1024;
  const bare = [];
  for (let index = 0; index < 5; index++) {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    bare.push(performance.now() - began);
  }
  const visits = [async () => sleep(PAGES_SECONDS * SECONDS)];
  if (target.admin !== undefined) visits.push(() => visitPages(`http://127.0.0.1:${target.admin}`));
  const stall = await longestStall(target, () => Promise.all(visits.map((visit) => visit())));
  return {
    'ms to the first tunnel': target.firstMs,
    'ms of `node -e 0`': median(bare),
    'MiB at rest': atRest,
    'longest stall ms': stall,
    'MiB when the pages were asked for': target.admin === undefined ? undefined : residentKiB(target.pid) / 1024,
  };
}

async function visitPages(admin) {
  for (const page of ['/stats', '/docs', '/metrics']) {
    const answer = await fetch(admin + page);
    if (!answer.ok) throw new Error(`${page} answered ${answer.status}`);
    await answer.arrayBuffer();
  }
}

/** The longest round trip through an open tunnel, which is asked again and again until the work is done. */
async function longestStall(target, work) {
  const socket = connect({ port: target.port, host: '127.0.0.1', noDelay: true });
  socket.write(`CONNECT 127.0.0.1:${target.origin} HTTP/1.1\r\nHost: 127.0.0.1:${target.origin}\r\n\r\n`);
  await once(socket, 'data');
  let isDone = false;
  const working = work().finally(() => (isDone = true));
  let longest = 0;
  while (!isDone) {
    const began = performance.now();
    socket.write('E\n');
    await once(socket, 'data');
    longest = Math.max(longest, performance.now() - began);
    await sleep(1);
  }
  socket.destroy();
  await working;
  return longest;
}

/** Round trips from the first byte of CONNECT until the 200 and until the first tunnelled byte; the median of five. */
async function roundTrips(target) {
  const samples = [];
  for (let index = 0; index < 8; index++) samples.push(await oneTunnel(target));
  // The first three are left out: a proxy may learn its upstream's ways from them.
  const learned = samples.slice(3);
  return {
    'RTT to the 200': median(learned.map(({ opened }) => opened)) / (2 * DELAY_MS),
    'RTT to the first byte': median(learned.map(({ first }) => first)) / (2 * DELAY_MS),
    'RTT of the very first tunnel': samples[0].first / (2 * DELAY_MS),
  };
}

/** The first messages of a client, by its protocol; resolves when the tunnel is open. */
const OPENINGS = {
  connect: async (socket, { origin, fields }) => {
    socket.write(`CONNECT 127.0.0.1:${origin} HTTP/1.1\r\nHost: 127.0.0.1:${origin}\r\n${fields}\r\n`);
    const [head] = await once(socket, 'data');
    if (!/^HTTP\/1.. 200/.test(head.toString('latin1'))) throw new Error(`refused: ${head.toString('latin1', 0, 60)}`);
  },
  socks5: async (socket, { origin }) => {
    socket.write(Uint8Array.of(5, 1, 0));
    await once(socket, 'data');
    socket.write(Uint8Array.of(5, 1, 0, 1, 127, 0, 0, 1, origin >> 8, origin & 0xff));
    const [reply] = await once(socket, 'data');
    if (reply[1] !== 0) throw new Error(`refused: reply ${reply[1]}`);
  },
  tunnel: () => Promise.resolve(),
};

export async function oneTunnel(target) {
  const start = performance.now();
  const socket = connect({ port: target.port, host: '127.0.0.1', noDelay: true });
  await OPENINGS[target.via](socket, target);
  const opened = performance.now() - start;
  socket.write('E\n');
  await once(socket, 'data');
  const first = performance.now() - start;
  socket.destroy();
  await once(socket, 'close');
  return { opened, first };
}

/** What is left of a peak: many idle tunnels, many requests, many tunnels that are torn down, and then nothing. */
async function peak(target) {
  const before = residentKiB(target.pid);
  const held = await holdTunnels([target.via, target.port, target.origin, PEAK_TUNNELS, 0]);
  const open = residentKiB(target.pid);
  await held.release();
  await runClient(['http', target.via, target.port, target.origin, 64, PEAK_SECONDS * SECONDS]);
  await Promise.all(Array.from({ length: 64 }, () => abortTunnels(target, PEAK_ABORTED / 64)));
  const busiest = residentKiB(target.pid);
  await sleep(IDLE_SECONDS * SECONDS);
  return {
    'MiB after a peak': residentKiB(target.pid) / 1024,
    'MiB at the peak': Math.max(open, busiest) / 1024,
    'MiB at rest': before / 1024,
    'tunnels open': held.open,
  };
}

async function abortTunnels(target, count) {
  const request = `CONNECT 127.0.0.1:${target.origin} HTTP/1.1\r\nHost: 127.0.0.1:${target.origin}\r\n\r\n`;
  for (let tunnel = 0; tunnel < count; tunnel++) {
    const socket = connect({ port: target.port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => undefined).write(request);
    await once(socket, 'data');
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
}

/** In the order of the report; `candidates`: those that take part in addition to the ones that name the scenario, if not all. */
export const SCENARIOS = [
  { name: 'down1', title: 'Bulk download, 1 CONNECT tunnel', key: 'MiB/s', run: (t) => bulk(t, 'down', 1, t.bytes) },
  { name: 'down8', title: 'Bulk download, 8 CONNECT tunnels', key: 'MiB/s', run: (t) => bulk(t, 'down', 8, t.bytes) },
  { name: 'up1', title: 'Bulk upload, 1 CONNECT tunnel', key: 'MiB/s', run: (t) => bulk(t, 'up', 1, t.bytes) },
  {
    name: 'tlsdown',
    title: 'Bulk download, 1 TLS client',
    ...{ key: 'CPU s/GiB', candidates: [], proxiesOnly: true, isTls: true },
    run: (t) => tls(t, 'down'),
  },
  {
    name: 'tlsup',
    title: 'Bulk upload, 1 TLS client',
    ...{ key: 'CPU s/GiB', candidates: [], proxiesOnly: true, isTls: true },
    run: (t) => tls(t, 'up'),
  },
  {
    name: 'rate',
    title: 'CONNECT, one small exchange, close; 64 at once',
    key: 'tunnels/s',
    run: (t) => rate(t, 'rate', 'tunnels/s', 'tunnel'),
  },
  {
    name: 'socks5',
    title: 'SOCKS5 in (proxy-client: CONNECT), one small exchange, close; 64 at once',
    key: 'tunnels/s',
    candidates: ['proxy-client'],
    run: (t) => rate(t, 'rate', 'tunnels/s', 'tunnel'),
  },
  {
    name: 'http',
    title: 'Plain HTTP GET of 1 KiB, 64 keep-alive clients',
    key: 'requests/s',
    run: (t) => rate(t, 'http', 'requests/s', 'request'),
  },
  {
    name: 'forms',
    title: 'POST, split heads and Connection: close, compared with the plain GET; 64 at once',
    key: 'POST of 1 KiB, of the GET',
    proxiesOnly: true,
    run: forms,
  },
  {
    name: 'rtt',
    title: `First tunnelled byte, upstream ${DELAY_MS} ms away`,
    key: 'RTT to the first byte',
    delayMs: DELAY_MS,
    proxiesOnly: true,
    run: roundTrips,
  },
  {
    name: 'start',
    title: 'The start, and what the admin pages cost',
    key: 'ms to the first tunnel',
    proxiesOnly: true,
    run: start,
  },
  {
    name: 'idle',
    title: '2,000 idle tunnels, 5 s after they were opened',
    key: 'KiB/idle tunnel',
    proxiesOnly: true,
    run: idle,
  },
  {
    name: 'peak',
    title: 'Memory after a peak: 10,000 idle tunnels, 20 s of requests, 20,000 tunnels torn down, 30 s of nothing',
    key: 'MiB after a peak',
    proxiesOnly: true,
    run: peak,
  },
];

export const LOWER_IS_BETTER = new Set([
  'CPU s/GiB',
  'p50 ms',
  'p99 ms',
  'CPU ms/tunnel',
  'CPU ms/request',
  'upstream connections/request',
  'POST of 1 KiB, of the GET',
  'head in two reads, of the GET',
  'Connection: close, of the GET',
  'failed',
  'RTT to the 200',
  'RTT to the first byte',
  'RTT of the very first tunnel',
  'KiB/idle tunnel',
  'MiB after a peak',
  'MiB at the peak',
  'MiB at rest',
  'ms to the first tunnel',
  'longest stall ms',
]);

export { delayRelay };
