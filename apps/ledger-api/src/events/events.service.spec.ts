import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createEmbeddedLedger, type Ledger } from '#ledger-gateway';
import { EventWriter } from './block-events.js';
import { EventLog } from './event-log.js';
import { EventMetrics } from './event-metrics.js';
import { EventStreams } from './event-streams.js';
import { EventsService } from './events.service.js';

const NAMES = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };
const MINUTE = 60_000;

describe('EventsService', () => {
  let directory: string;
  let ledger: Ledger;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'events-service-'));
    ledger = await createEmbeddedLedger({ ...NAMES, dataDir: directory });
  });
  afterAll(async () => {
    await ledger.close();
    rmSync(directory, { recursive: true });
  });

  const service = (patience: number): EventsService => {
    const log = new EventLog(ledger, new EventWriter(NAMES.chaincode, () => Promise.resolve(new Set())));
    const streams = new EventStreams(log, new EventMetrics(new Registry()), pino({ enabled: false }));
    return new EventsService({ ledger, log, streams, patience });
  };
  const create = async (id: string) =>
    ledger.submit({ function: 'CreateAsset', arguments: [id, 'blue', '5', 'Ann', '1'] });
  const stays = (): boolean => false;

  it('waits for the block of an id that another peer has told of', async () => {
    const { height } = await ledger.chainInfo();
    const next = { block: height + 1 };
    const behind = { block: height, behind: { transaction: 0, event: 0 } };
    let begun = 0;
    const starts = [next, behind].map(async (wanted) => {
      const start = await service(MINUTE).start(wanted, stays);
      begun += 1;
      return start;
    });
    // Once it has asked the ledger, it waits.
    await ledger.chainInfo();
    expect(begun).toBe(0);
    await create('awaited');
    expect(await Promise.all(starts)).toEqual([
      { position: next, height: height + 1 },
      { position: behind, height: height + 1 },
    ]);
  });

  it('refuses it when the block does not come, at once where there is one ledger, and for a client that has gone', async () => {
    const { height } = await ledger.chainInfo();
    const wanted = { block: height + 1 };
    const refusal = `That is beyond the newest block, which is block ${height - 1}: was the id given by another ledger?`;
    await expect(service(0).start(wanted, stays)).rejects.toThrow(refusal);
    await expect(service(300).start(wanted, stays)).rejects.toThrow(refusal);
    await expect(service(MINUTE).start(wanted, () => true)).rejects.toThrow(refusal);
  });
});
