import { spawnSync } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createEmbeddedLedger } from '#embedded-ledger';
import { runConsumer } from '../support/documented-consumer.js';
import { followThroughCuts, replayedEvents, seededRandom } from '../support/event-proof.js';
import { EventReader } from '../support/event-reader.js';
import { FabricClient } from '../support/fabric-client.js';
import { FABRIC_DRIVERS } from '../support/fabric-ledgers.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { LedgerApi } from '../support/ledger-api.js';
import { until } from '../support/until.js';

const STEP_MS = 3_600_000;
const TEN_MINUTES_MS = 600_000;
const NAMES = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };
const TICKS_PER_SECOND = 100;
const seed = randomInt(2 ** 31);

describe(`following while everything is cut (seed ${seed})`, () => {
  it(
    'sends each follower each event once and in order, on the embedded ledger: 20,000 writes, 300 cuts',
    async () => {
      let api = await LedgerApi.start();
      const kill = async (): Promise<void> => {
        await api.program.end('SIGKILL');
        api = await LedgerApi.start({}, api.dataDir);
      };
      const height = async (): Promise<number> =>
        ((await api.api('GET', '/blockchain/height')).json as { data: { height: number } }).data.height;
      const proof = { followers: 10, writes: 20_000, cuts: 300, breaks: [kill], random: seededRandom(seed) };
      const followers = await followThroughCuts(
        { ...proof, origins: () => [api.origin], limitMs: STEP_MS / 2 },
        height,
      );
      await api.program.end();
      const ledger = await createEmbeddedLedger({ ...NAMES, dataDir: api.dataDir });
      const expected = await replayedEvents(ledger, NAMES.chaincode);
      await ledger.close();
      for (const { messages } of followers) expect(messages.map(({ id, event }) => `${id} ${event}`)).toEqual(expected);
      const connections = followers.reduce((sum, each) => sum + each.connections, 0);
      console.log(`${expected.length} events for each of ${followers.length} on ${connections} connections`);
      await api.stop();
    },
    STEP_MS,
  );
});

describe('a stop with 1,000 streams open', () => {
  it(
    'ends them in a second of work',
    async () => {
      const api = await LedgerApi.start();
      const readers: EventReader[] = [];
      while (readers.length < 1000) {
        const open = Array.from({ length: 50 }, () => EventReader.open(`${api.origin}/api/v1/events`));
        readers.push(...(await Promise.all(open)));
      }
      await api.create('last');
      await Promise.all(readers.map((reader) => reader.count(2)));
      const { pid = 0 } = api.program.process;
      const before = cpuSecondsOf(pid);
      let used = before;
      const ending = api.stop();
      const look = setInterval(() => (used = Math.max(used, cpuSecondsOf(pid))), 5);
      expect(await ending).toEqual({ code: 0, signal: null });
      clearInterval(look);
      await Promise.all(readers.map((reader) => reader.closed));
      console.log(`ended with ${(used - before).toFixed(2)} s of work`);
      expect(used - before).toBeLessThan(1);
    },
    STEP_MS,
  );
});

/** Seconds for which a process of this system has had a processor; 0 when it has gone. */
function cpuSecondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

describe('the consumer in Python of docs/events.md', () => {
  const python = process.env['PYTHON'] ?? 'python3';
  const { error } = spawnSync(python, ['--version']);
  (error === undefined ? it : it.skip)(
    `handles each event once, through restarts of the server and its own${error === undefined ? '' : ` (skipped: ${error.message})`}`,
    async () => {
      const { printed, events } = await runConsumer('python', python);
      expect(printed).toEqual(events);
    },
    STEP_MS,
  );
});

const release = fabricRelease();

if ('missing' in release) {
  describe(`following on a real Fabric network (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
}

('missing' in release ? describe.skip : describe)(`following on a real Fabric network (seed ${seed})`, () => {
  let network: FabricNetwork;
  beforeAll(async () => {
    if (!('missing' in release)) network = await FabricNetwork.up(release.env, '--batch-timeout', '200ms');
  }, STEP_MS);
  afterAll(async () => {
    await network.down();
  }, STEP_MS);

  it(
    'sends each follower of either driver each event once and in order: 20,000 writes, others among them, 300 cuts',
    async () => {
      const start = (driver: string) => LedgerApi.start({ ...network.env, LEDGER_DRIVER: driver });
      const apis = await Promise.all(FABRIC_DRIVERS.map(({ name }) => start(name)));
      const client = new FabricClient(network.directory);
      const kill = async (): Promise<void> => {
        const index = randomInt(apis.length);
        await apis[index]!.program.end('SIGKILL');
        apis[index] = await start(FABRIC_DRIVERS[index]!.name);
      };
      const restartPeer = async (): Promise<void> => {
        await network.stop('peer-org1');
        await network.startStopped();
        await until(async () => (await apis[0]!.api('GET', '/blockchain/height')).status === 200, STEP_MS);
      };
      const ledger = await FABRIC_DRIVERS[0]!.open(network);
      try {
        const followers = await followThroughCuts(
          {
            origins: () => apis.map(({ origin }) => origin),
            followers: 6,
            writes: 20_000,
            cuts: 300,
            breaks: [kill, restartPeer],
            random: seededRandom(seed),
            writeBeside: async () => {
              await client.submit('CreateAsset', randomUUID(), 'blue', '5', 'Tom', '1');
            },
            limitMs: STEP_MS / 2,
          },
          async () => (await ledger.chainInfo()).height,
        );
        const expected = await replayedEvents(ledger, NAMES.chaincode);
        for (const { messages } of followers) {
          expect(messages.map(({ id, event }) => `${id} ${event}`)).toEqual(expected);
        }
        console.log(`${expected.length} events for each of ${followers.length} followers`);
      } finally {
        client.close();
        await ledger.close();
        await Promise.all(apis.map((api) => api.stop()));
      }
    },
    STEP_MS,
  );

  it.each(FABRIC_DRIVERS.map(({ name }) => name))(
    'waits for the block of an id from a peer that is ahead (%s)',
    async (name) => {
      const api = await LedgerApi.start({
        ...network.env,
        LEDGER_DRIVER: name,
        FABRIC_EVALUATE_TIMEOUT_MS: String(TEN_MINUTES_MS),
      });
      try {
        const { json } = await api.api('GET', '/blockchain/height');
        const { height } = (json as { data: { height: number } }).data;
        const opening = EventReader.open(`${api.origin}/api/v1/events`, { after: `${height}:end` });
        expect(await Promise.race([opening, api.create(randomUUID())])).toMatchObject({ status: 201 });
        const reader = await opening;
        expect(reader.status).toBe(200);
        const { headers } = await api.create(randomUUID());
        const [event] = await reader.count(1);
        expect(event).toMatchObject({
          id: expect.stringMatching(new RegExp(`^${height + 1}:0:0:[0-9a-f]{8}$`)) as unknown,
          data: { transactionId: headers['x-transaction-id'] },
        });
        await reader.close();
      } finally {
        await api.stop();
      }
    },
    STEP_MS,
  );
});
