import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { jest } from '@jest/globals';
import { createEmbeddedLedger } from '#embedded-ledger';
import type { LedgerConfig } from '#ledger-config';
import { type Ledger, type LedgerBlock, LedgerError } from '#ledger-gateway';
import { EventReader } from '../../../../test/support/event-reader.js';
import { until } from '../../../../test/support/until.js';
import { EventLog, type BlockSource, type Start } from './event-log.js';
import { parsePosition } from './event-position.js';
import { EventStreams, StreamMetrics, type EventClient, type StreamIntervals } from './event-streams.js';

const NAMES = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };
/** So slow that no periodic check runs during a test. */
const SLOW: StreamIntervals = { heartbeat: 600_000, lease: 600_000, retry: 600_000 };
/** All timers but the intervals of the periodic checks. */
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
const leases: EventClient['lease'][] = [];
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
  streams.shutDown();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const source: BlockSource = {
  blockByNumber: (number) => ledger.blockByNumber(number),
  blockEvents: (options) => ledger.blockEvents(options),
  chainInfo: () => ledger.chainInfo(),
  get lists() {
    return ledger.lists;
  },
};

/** Serves streams of a ledger from a bare server; the lease of the next client is the last of `leases`. */
async function serve(from: BlockSource = source, intervals = SLOW, attempt?: () => Promise<Start>): Promise<string> {
  lines = [];
  registry = new Registry();
  const logger = pino({}, { write: (line: string) => lines.push(line) });
  const log = new EventLog(from, { ...NAMES, driver: 'embedded' } as LedgerConfig);
  streams = new EventStreams(log, new StreamMetrics(registry), { logger }, intervals);
  const begin = async (url: string, id: string | undefined, response: ServerResponse): Promise<void> => {
    const query = Object.fromEntries(new URL(url, 'http://a').searchParams);
    response.removeHeader('transfer-encoding');
    response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
    const client = { lease: leases.pop(), facts: { caller: 'ana' } };
    const find = () => log.start(parsePosition(query, id), () => false);
    const start = attempt === undefined ? await find() : undefined;
    streams.add(response, client, { start, attempt: attempt ?? find });
  };
  server = createServer(({ url = '', headers }, response) => {
    void begin(url, headers['last-event-id'] as string | undefined, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Creates an asset with the given number of bytes. */
const create = (id: string, bytes = 10) =>
  ledger.submit({
    function: 'CreateAsset',
    arguments: [id, ...Array.from({ length: 4 }, () => 'x'.repeat(Math.ceil(bytes / 4)))],
  });

/** Opens a connection that sends a request and reads nothing of the answer. */
async function stalledClient(url: string): Promise<Socket> {
  const { port, search } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1').pause();
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET /${search} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return socket;
}

async function metric(name: string): Promise<number> {
  const line = (await registry.metrics()).split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

/** Returns the id of the event that ends the newest block. */
async function headId(): Promise<string> {
  const { height, currentBlockHash } = await ledger.chainInfo();
  return `${height - 1}:end:${currentBlockHash.slice(0, 8)}`;
}

const open = () => metric('ledger_event_streams');
const cut = (reason: string) => metric(`ledger_event_streams_cut_total{reason="${reason}"}`);

describe('EventStreams', () => {
  it('sends the same events to clients that connect before, during and after the writes', async () => {
    const url = await serve();
    const { height } = await ledger.chainInfo();
    const before = await EventReader.open(url);
    const writes = Promise.all(Array.from({ length: 150 }, (_, n) => create(`same-${n}`)));
    await before.count(1);
    const meanwhile = await Promise.all(Array.from({ length: 100 }, () => EventReader.open(`${url}?from=${height}`)));
    await writes;
    const after = await EventReader.open(`${url}?from=${height}`);
    const end = await headId();
    const all = [before, ...meanwhile, after];
    await until(() => all.every(({ lastId }) => lastId === end));
    expect(before.messages.filter(({ event }) => event === 'asset.created')).toHaveLength(150);
    for (const reader of all) expect(reader.messages).toEqual(before.messages);
    await Promise.all(all.map((reader) => reader.close()));
  });

  it('reads no blocks without clients, and starts again for the next one', async () => {
    const signals: AbortSignal[] = [];
    const url = await serve({
      ...source,
      blockEvents: (options) => {
        signals.push(options.signal!);
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

  it('sends heartbeats to idle clients', async () => {
    const url = await serve(source, { ...SLOW, heartbeat: 10 });
    const reader = await EventReader.open(url);
    await until(() => reader.heartbeats > 2);
    await reader.close();
  });

  it('cuts only the live client for which more than 1 MiB waits', async () => {
    const url = await serve();
    const reader = await EventReader.open(url);
    const socket = await stalledClient(url);
    await until(async () => (await open()) === 2);
    let count = 0;
    await until(async () => {
      await Promise.all(Array.from({ length: 16 }, () => create(`slow-${count++}`, 8000)));
      return (await cut('slow')) === 1;
    });
    await until(async () => (await open()) === 1);
    await create('after it');
    await until(() => reader.messages.some(({ data }) => data['assetId'] === 'after it'));
    expect(lines.join()).toMatch(/"caller":"ana","reason":"slow","msg":"an event stream was cut"/);
    socket.destroy();
    await reader.close();
  });

  it('cuts clients that read nothing of a replay, without delaying others', async () => {
    // The test triggers the checks: on a busy machine every client pauses now and then.
    jest.useFakeTimers({ doNotFake: REAL_TIMERS });
    const url = await serve();
    await Promise.all(Array.from({ length: 400 }, (_, n) => create(`past-${n}`, 12_000)));
    const end = await headId();
    for (let n = 0; n < 10; n++) await stalledClient(`${url}?from=0`);
    await until(async () => (await open()) === 10);
    const reader = await EventReader.open(`${url}?from=0`);
    await until(() => reader.lastId === end);
    await until(async () => {
      jest.advanceTimersByTime(SLOW.heartbeat);
      return (await cut('stalled')) === 10;
    });
    await until(async () => (await open()) === 1);
    await reader.close();
  });

  it('cuts the stream of a client whose lease ends', async () => {
    const url = await serve(source, { ...SLOW, lease: 5 });
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

  it('cuts all streams when blocks cannot be read, so that clients that reconnect receive the error', async () => {
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

  it('closes all streams at shutdown and accepts no more', async () => {
    const url = await serve();
    const readers = await Promise.all([EventReader.open(url), EventReader.open(`${url}?from=0`)]);
    await readers[1].count(1);
    streams.requireOpen();
    streams.shutDown();
    await Promise.all(readers.map(({ closed }) => closed));
    expect(() => {
      streams.requireOpen();
    }).toThrow('shutting down');
    const late = await EventReader.open(url);
    await late.closed;
    expect(late.messages).toEqual([]);
  });

  it('keeps a stream open while the ledger is unreachable, then starts it where the client stopped', async () => {
    const { height, currentBlockHash } = await ledger.chainInfo();
    let attempts = 0;
    const url = await serve(source, { heartbeat: 10, lease: 600_000, retry: 5 }, () => {
      attempts += 1;
      if (attempts < 3) return Promise.reject(new LedgerError('LEDGER.UNAVAILABLE', 'no peer answers'));
      return Promise.resolve({ position: { block: height }, height, id: `${height - 1}:end:${currentBlockHash}` });
    });
    const reader = await EventReader.open(url);
    await until(() => reader.heartbeats > 2 && reader.lastId !== '');
    expect([attempts, reader.messages]).toEqual([3, []]);
    await create('after the outage');
    expect(await reader.count(2)).toMatchObject([{ data: { assetId: 'after the outage' } }, { event: 'block' }]);
    await reader.close();
  });

  it('sends one error event and closes when a waiting stream cannot start', async () => {
    const url = await serve(source, { ...SLOW, retry: 5 }, () =>
      Promise.reject(new LedgerError('LEDGER.CALLER_REFUSED', 'the certificate was revoked')),
    );
    const reader = await EventReader.open(url);
    await reader.closed;
    expect(reader.messages).toMatchObject([{ event: 'error', data: { code: 'LEDGER.CALLER_REFUSED' } }]);
  });
});
