import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IndexDirectory, indexed } from '#chain-index/testing';
import { createEmbeddedLedger } from '#embedded-ledger';
import { gatewayOnStandIn, sampleChaincode } from '#fabric-ledger/testing';
import type { LedgerConfig } from '#ledger-config';
import type { Ledger } from '#ledger-gateway';
import { EventLog } from './event-log.js';
import { TEXT } from './event-position.js';

const NAMES = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };
const MINUTE = 60_000;

describe('EventLog', () => {
  let directory: string;
  let ledger: Ledger;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'event-log-'));
    ledger = await createEmbeddedLedger({ ...NAMES, dataDir: directory });
  });
  afterAll(async () => {
    await ledger.close();
    rmSync(directory, { recursive: true });
  });

  const log = (blockTimeout: number): EventLog =>
    new EventLog(ledger, { ...NAMES, driver: 'fabric', limits: { evaluate: blockTimeout } } as LedgerConfig);
  const create = async (id: string) =>
    ledger.submit({ function: 'CreateAsset', arguments: [id, 'blue', '5', 'Ann', '1'] });
  const hasLeft = (): boolean => false;

  it('waits for the block of an id from a peer that is ahead', async () => {
    const { height } = await ledger.chainInfo();
    const next = { block: height + 1 };
    const within = { block: height, after: '0:0' };
    let begun = 0;
    const starts = [next, within].map(async (wanted) => {
      const start = await log(MINUTE).start(wanted, hasLeft);
      begun += 1;
      return start;
    });
    // It waits after its first query of the ledger.
    await ledger.chainInfo();
    expect(begun).toBe(0);
    await create('awaited');
    const hash = (await ledger.chainInfo()).currentBlockHash.slice(0, 8);
    expect(await Promise.all(starts)).toEqual([
      { position: next, height: height + 1, id: `${height}:end:${hash}` },
      { position: within, height: height + 1, id: `${height}:0:0:${hash}` },
    ]);
  });

  it('refuses a block that does not arrive in time, at once without a timeout, and for a client that left', async () => {
    const { height } = await ledger.chainInfo();
    const wanted = { block: height + 1 };
    const refusal = `This is beyond the newest block, ${height - 1}. The id may be from another ledger.`;
    await expect(log(0).start(wanted, hasLeft)).rejects.toThrow(refusal);
    await expect(log(300).start(wanted, hasLeft)).rejects.toThrow(refusal);
    await expect(log(MINUTE).start(wanted, () => true)).rejects.toThrow(refusal);
  });

  it('refuses the id of another ledger with the same names, and accepts ids without a hash', async () => {
    await create('of this ledger');
    const { height, currentBlockHash } = await ledger.chainInfo();
    const requested = (hash: string | undefined) => ({ block: height, hash });
    const start = await log(0).start(requested(currentBlockHash.slice(0, 8)), hasLeft);
    expect(start.position).toMatchObject({ block: height });
    await expect(log(0).start(requested('00000000'), hasLeft)).rejects.toMatchObject({
      code: 'API.INVALID_REQUEST',
      message: TEXT.otherChain,
    });
    await expect(log(0).start(requested(undefined), hasLeft)).resolves.toMatchObject({ height });
  });
});

describe('events of keys that a chaincode wrote without reading them', () => {
  const indexes = new IndexDirectory();
  afterAll(() => {
    indexes.remove();
  });

  it.each([
    ['are described by the index, without a read of older blocks', true],
    ['are described by the newest blocks where there is no index', false],
  ])('%s', async (_, hasIndex) => {
    const network = { chaincode: sampleChaincode };
    const openIndex = hasIndex ? { openIndex: indexes.opener({ scans: 'of the channel' }) } : {};
    const { ledger: fabric, dispose } = await gatewayOnStandIn({ network, ...openIndex });
    const reads: number[] = [];
    const source = {
      blockByNumber: (number: number) => {
        reads.push(number);
        return fabric.blockByNumber(number);
      },
      blockEvents: fabric.blockEvents.bind(fabric),
      chainInfo: () => fabric.chainInfo(),
      indexState: () => fabric.indexState?.(),
      lists: fabric.lists,
    };
    await fabric.submit({ function: 'CreateAsset', arguments: ['asset1', 'blue', '5', 'Ann', '1'] });
    const { blockNumber } = await fabric.submit({ chaincode: 'basic', function: 'InitLedger', arguments: [] });
    if (hasIndex) await indexed(fabric);
    const events = new EventLog(source, { ...NAMES, driver: 'fabric', limits: { evaluate: 0 } } as LedgerConfig);
    const stop = new AbortController();
    const types: string[] = [];
    for await (const found of events.follow(blockNumber, stop.signal)) {
      const text = found.from({ block: blockNumber, after: undefined }, undefined).bytes.toString();
      types.push(...[...text.matchAll(/^event: asset\.(.+)$/gm)].map(([, type = '']) => type));
      break;
    }
    stop.abort();
    expect(types).toEqual(['updated', ...Array.from({ length: 5 }, () => 'created')]);
    expect(reads.includes(blockNumber - 1)).toBe(!hasIndex);
    await dispose();
  });
});
