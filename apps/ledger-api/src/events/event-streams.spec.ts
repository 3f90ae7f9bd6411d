import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { jest } from '@jest/globals';
import { createEmbeddedLedger, type Ledger, type LedgerBlock } from '#ledger-gateway';
import { EventReader } from '../../../../test/support/event-reader.js';
import { until } from '../../../../test/support/until.js';
import { EventWriter } from './block-events.js';
import { EventLog, type BlockSource } from './event-log.js';
import { EventMetrics } from './event-metrics.js';
import { parsePosition } from './event-position.js';
import type { Lease } from './event-stream.js';
import { EventStreams, type StreamPace } from './event-streams.js';

const NAMES = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };
/** As slow as in production, so that nothing is looked after in a test's time. */
const SLOW: StreamPace = { beat: 600_000, lease: 600_000 };
/** All but intervals, by which streams are looked after. */
const REAL_TIMERS = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
  ...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
];

let directory: string;
let ledger: Ledger;
let lines: string[];
let server: Server;
let streams: EventStreams;
let registry: Registry;
const leases: (Lease | undefined)[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'events-'));
  ledger = await createEmbeddedLedger({ ...NAMES, dataDir: directory });
});
afterAll(async () => {
  await ledger.close();
  rmSync(directory, { recursive: true });
});
afterEach(async () => {
  jest.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  streams.onModuleDestroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const source: BlockSource = {
  blockByNumber: (number) => ledger.blockByNumber(number),
  blockEvents: (options) => ledger.blockEvents(options),
};

/** Serves streams of a ledger by a bare server; a lease stands at the end of `leases`. */
async function serve(from: BlockSource = source, pace = SLOW): Promise<string> {
  lines = [];
  registry = new Registry();
  const logger = pino({}, { write: (line: string) => lines.push(line) });
  const log = new EventLog(from, new EventWriter(NAMES.chaincode, () => Promise.resolve(new Set())));
  streams = new EventStreams(log, new EventMetrics(registry), logger, pace);
  const begin = async (url: string, id: string | undefined, response: ServerResponse): Promise<void> => {
    const { height } = await ledger.chainInfo();
    const query = Object.fromEntries(new URL(url, 'http://a').searchParams);
    response.removeHeader('transfer-encoding');
    response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
    const position = parsePosition(query, id) ?? { block: Math.max(height, streams.next) };
    streams.add(response, { position, height, lease: leases.pop(), facts: { caller: 'ana' } });
  };
  server = createServer(({ url = '', headers }, response) => {
    void begin(url, headers['last-event-id'] as string | undefined, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Creates an asset of so many bytes. */
const create = (id: string, bytes = 10) =>
  ledger.submit({
    function: 'CreateAsset',
    arguments: [id, ...Array.from({ length: 4 }, () => 'x'.repeat(Math.ceil(bytes / 4)))],
  });

/** A client that has sent its request and takes nothing of the answer. */
async function deaf(url: string): Promise<Socket> {
  const { port, search } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1').pause();
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET /${search} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return socket;
}

async function figure(name: string): Promise<number> {
  const line = (await registry.metrics()).split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

const open = () => figure('ledger_event_streams');
const cut = (reason: string) => figure(`ledger_event_streams_cut_total{reason="${reason}"}`);

describe('EventStreams', () => {
  it('gives all who follow the same, whether they came before, meanwhile or afterwards', async () => {
    const url = await serve();
    const { height } = await ledger.chainInfo();
    const before = await EventReader.open(url);
    const writes = Promise.all(Array.from({ length: 150 }, (_, n) => create(`same-${n}`)));
    await before.count(1);
    const meanwhile = await Promise.all(Array.from({ length: 100 }, () => EventReader.open(`${url}?from=${height}`)));
    await writes;
    const after = await EventReader.open(`${url}?from=${height}`);
    const end = `${(await ledger.chainInfo()).height - 1}:end`;
    const all = [before, ...meanwhile, after];
    await until(() => all.every(({ lastId }) => lastId === end));
    expect(before.messages.filter(({ event }) => event === 'asset.created')).toHaveLength(150);
    for (const reader of all) expect(reader.messages).toEqual(before.messages);
    await Promise.all(all.map((reader) => reader.close()));
  });

  it('reads no blocks when nobody follows, and begins again for the next one', async () => {
    const signals: AbortSignal[] = [];
    const url = await serve({
      ...source,
      blockEvents: (options) => {
        signals.push(options.signal);
        return source.blockEvents(options);
      },
    });
    for (const round of [1, 2]) {
      const readers = await Promise.all([EventReader.open(url), EventReader.open(url)]);
      await create(`round-${round}`);
      await Promise.all(readers.map((reader) => reader.count(2)));
      expect(signals).toHaveLength(round);
      await readers[0].close();
      await until(async () => (await open()) === 1);
      expect(signals.at(-1)!.aborted).toBe(false);
      await readers[1].close();
      await until(async () => (await open()) === 0);
      expect(signals.at(-1)!.aborted).toBe(true);
    }
  });

  it('sends heartbeats to those for whom there is nothing else', async () => {
    const url = await serve(source, { beat: 10, lease: 600_000 });
    const reader = await EventReader.open(url);
    await until(() => reader.heartbeats > 2);
    await reader.close();
  });

  it('cuts a client that follows and takes nothing when more than 1 MiB waits for it, and no other', async () => {
    const url = await serve();
    const reader = await EventReader.open(url);
    const socket = await deaf(url);
    await until(async () => (await open()) === 2);
    let count = 0;
    await until(async () => {
      await Promise.all(Array.from({ length: 16 }, () => create(`slow-${count++}`, 8000)));
      return (await cut('slow')) === 1;
    });
    await until(async () => (await open()) === 1);
    await create('behind it');
    await until(() => reader.messages.some(({ data }) => data['assetId'] === 'behind it'));
    expect(lines.join()).toMatch(/"caller":"ana","reason":"slow","msg":"a stream of events was cut"/);
    socket.destroy();
    await reader.close();
  });

  it('cuts clients that take nothing of what is past, without others waiting for them', async () => {
    // They are looked after when the test says so: on a busy machine all stand still for a while.
    jest.useFakeTimers({ doNotFake: REAL_TIMERS });
    const url = await serve();
    await Promise.all(Array.from({ length: 400 }, (_, n) => create(`past-${n}`, 12_000)));
    const end = `${(await ledger.chainInfo()).height - 1}:end`;
    for (let n = 0; n < 10; n++) await deaf(`${url}?from=0`);
    await until(async () => (await open()) === 10);
    const reader = await EventReader.open(`${url}?from=0`);
    await until(() => reader.lastId === end);
    await until(async () => {
      jest.advanceTimersByTime(SLOW.beat);
      return (await cut('stalled')) === 10;
    });
    await until(async () => (await open()) === 1);
    await reader.close();
  });

  it('ends the stream of one who may not follow any more', async () => {
    const url = await serve(source, { beat: 600_000, lease: 5 });
    let isGood = true;
    const other = await EventReader.open(url);
    leases.push(() => isGood);
    const reader = await EventReader.open(url);
    await create('may');
    await Promise.all([other.count(2), reader.count(2)]);
    isGood = false;
    await reader.closed;
    await until(async () => (await open()) === 1);
    expect(await cut('revoked')).toBe(1);
    await other.close();
  });

  it('cuts all when blocks cannot be read, so that whoever connects again is told why', async () => {
    const broken = Promise.withResolvers<LedgerBlock>();
    const url = await serve({
      ...source,
      async *blockEvents() {
        yield await broken.promise;
      },
    });
    const readers = await Promise.all([EventReader.open(url), EventReader.open(`${url}?from=0`)]);
    broken.reject(new Error('the disk is gone'));
    await Promise.all(readers.map(({ closed }) => closed));
    expect(await cut('failed')).toBe(2);
    expect(lines.join()).toContain('the disk is gone');
  });

  it('ends all orderly when it is told to, and takes no more', async () => {
    const url = await serve();
    const readers = await Promise.all([EventReader.open(url), EventReader.open(`${url}?from=0`)]);
    await readers[1].count(1);
    streams.requireOpen();
    streams.onModuleDestroy();
    await Promise.all(readers.map(({ closed }) => closed));
    expect(() => {
      streams.requireOpen();
    }).toThrow('about to end');
    const late = await EventReader.open(url);
    await late.closed;
    expect(late.messages).toEqual([]);
  });
});
