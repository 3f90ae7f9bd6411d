import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assetDigest } from '#asset-contract';
import { decodeBlock } from '../fabric-blocks/decode/decode-block.js';
import { decodeEnvelope } from '../fabric-blocks/decode/decode-envelope.js';
import { until } from '../../../../test/support/until.js';
import type { Ledger, LedgerBlock, LedgerCall, LedgerChannel } from '../ports/ledger.port.js';
import { codeOf, expectRefusal } from './expect-refusal.js';
import { keyedConformance } from './keyed-conformance.js';
import { pagesConformance } from './pages-conformance.js';
import { receiptConformance } from './receipt-conformance.js';

/** A ledger that a suite may write to, and what takes it away again when the suite has closed it. */
export interface LedgerUnderTest {
  readonly ledger: Ledger;
  readonly dispose: () => Promise<void> | void;
  /** The chaincode cannot compare before it writes, and the driver cannot do it for it. */
  readonly withoutConditions?: boolean;
  /** The chaincode tells no histories. */
  readonly withoutHistory?: boolean;
}

const FIELDS = ['blue', '5', 'Tomoko', '300'] as const;

/**
 * What every driver of the port keeps, on a ledger that may hold anything already and be written to by others.
 * @param makeLedger - opens a ledger with the asset contract
 */
export function ledgerConformance(name: string, makeLedger: () => Promise<LedgerUnderTest>): void {
  describe(`${name} keeps the ledger port`, () => {
    let made: LedgerUnderTest;
    let channel: LedgerChannel;
    beforeAll(async () => {
      made = await makeLedger();
      channel = made.ledger.channel();
    });
    afterAll(async () => {
      await made.ledger.close();
      await made.dispose();
    });

    describe('calls', () => {
      callConformance(
        () => channel,
        () => made.withoutConditions !== true,
      );
    });
    describe('writes with an idempotency key', () => {
      keyedConformance(() => channel);
    });
    describe('the chain', () => {
      chainConformance(() => channel);
    });
    describe('pages', () => {
      pagesConformance(
        () => channel,
        () => made.withoutHistory !== true,
      );
    });
    describe('receipts', () => {
      receiptConformance(() => channel);
    });
    describe('block events', () => {
      eventConformance(() => channel);
    });
  });

  describe(`${name}, opened and closed`, () => {
    it('is ready, then refuses calls and ends its block events', async () => {
      const { ledger, dispose } = await makeLedger();
      try {
        // Peers that are busy with the suite before this may not answer within the few seconds that a look takes at most.
        await until(async () => (await ledger.connectionState()).status === 'ready');
        const channel = ledger.channel();
        const { height } = await channel.chainInfo();
        const rest = collect(channel.blockEvents({ startBlock: height }));
        await Promise.all([ledger.close(), ledger.close()]);
        expect(await rest).toEqual([]);
        expect(await ledger.connectionState()).toMatchObject({ status: 'unavailable' });
        await expectRefusal(channel.submit(create(randomUUID())), 'LEDGER.UNAVAILABLE');
        await expectRefusal(channel.evaluate({ function: 'ReadAsset', arguments: ['a'] }), 'LEDGER.UNAVAILABLE');
        await expectRefusal(channel.chainInfo(), 'LEDGER.UNAVAILABLE');
      } finally {
        await dispose();
      }
    });
  });
}

function callConformance(channel: () => LedgerChannel, hasConditions: () => boolean): void {
  it('acknowledges a write that can be read at once', async () => {
    const id = randomUUID();
    const { transactionId, blockNumber, result } = await channel().submit(create(id));
    expect(transactionId).toMatch(/^[0-9a-f]{64}$/);
    expect(result).toBeInstanceOf(Uint8Array);
    expect(await read(channel(), id)).toEqual(asset(id));
    expect((await channel().chainInfo()).height).toBeGreaterThan(blockNumber);
  });

  it('makes a write that is bound to what was read, and refuses it when that has changed', async () => {
    const id = randomUUID();
    await channel().submit(create(id));
    const digest = assetDigest(await channel().evaluate({ function: 'ReadAsset', arguments: [id] }));
    const transfer = (to: string) =>
      channel().submit({ function: 'TransferAssetIfMatch', arguments: [id, to, digest] });
    if (!hasConditions()) {
      await expectRefusal(transfer('Brad'), 'LEDGER.NOT_SUPPORTED');
      return;
    }
    const [first, second] = await Promise.allSettled([transfer('Brad'), transfer('Eve')]);
    const made = [first, second].filter(({ status }) => status === 'fulfilled');
    expect(made).toHaveLength(1);
    await expectRefusal(transfer('Ada'), 'LEDGER.ASSET_CHANGED');
    expect(await read(channel(), id)).toEqual({ ...asset(id), owner: first.status === 'fulfilled' ? 'Brad' : 'Eve' });
  });

  it('tells under which identity a call is made', async () => {
    const { transactionId } = await channel().submit(create(randomUUID()));
    const { envelope } = (await channel().transactionById(transactionId))!;
    const creators = await channel().creators(undefined, Date.now());
    expect(creators.map((it) => Buffer.from(it).toString())).toEqual([
      Buffer.from(decodeEnvelope(envelope).creatorBytes).toString(),
    ]);
  });

  it('updates, transfers and deletes', async () => {
    const id = randomUUID();
    await channel().submit(create(id));
    await channel().submit({ function: 'UpdateAsset', arguments: [id, 'red', '6', 'Ann', '301'] });
    expect(await read(channel(), id)).toEqual({ ID: id, color: 'red', size: '6', owner: 'Ann', appraisedValue: '301' });
    await channel().submit({ function: 'TransferAsset', arguments: [id, 'Bob'] });
    expect(await read(channel(), id)).toMatchObject({ owner: 'Bob', color: 'red' });
    await channel().submit({ function: 'DeleteAsset', arguments: [id] });
    await expectRefusal(read(channel(), id), 'LEDGER.ASSET_NOT_FOUND');
  });

  it('takes any text for an id and for a value', async () => {
    const id = `änder-🚀 "${randomUUID()}"/\\ __proto__`;
    const owner = '\u0000\u001f\u2028 ＝ 𝕏 \\u0041';
    await channel().submit({ function: 'CreateAsset', arguments: [id, 'blue', '5', owner, '300'] });
    expect(await read(channel(), id)).toEqual({ ...asset(id), owner });
  });

  it('says why the contract refuses, and leaves the state as it was', async () => {
    const id = randomUUID();
    await channel().submit(create(id));
    await expectRefusal(
      channel().submit({ function: 'CreateAsset', arguments: [id, 'red', '1', 'Eve', '1'] }),
      'LEDGER.ASSET_EXISTS',
    );
    expect(await read(channel(), id)).toEqual(asset(id));
    const missing = randomUUID();
    await expectRefusal(read(channel(), missing), 'LEDGER.ASSET_NOT_FOUND');
    await expectRefusal(
      channel().submit({ function: 'UpdateAsset', arguments: [missing, ...FIELDS] }),
      'LEDGER.ASSET_NOT_FOUND',
    );
    await expectRefusal(
      channel().submit({ function: 'TransferAsset', arguments: [missing, 'Eve'] }),
      'LEDGER.ASSET_NOT_FOUND',
    );
  });

  it('refuses a function that the contract has not', async () => {
    await expectRefusal(channel().submit({ function: 'NoSuchFunction', arguments: [] }), 'LEDGER.FUNCTION_UNKNOWN');
    await expectRefusal(channel().evaluate({ function: 'NoSuchFunction', arguments: [] }), 'LEDGER.FUNCTION_UNKNOWN');
  });

  it('calls a chaincode by its name as it is, and knows none of another name', async () => {
    const id = randomUUID();
    const { transactionId } = await channel().submit({ chaincode: 'basic', ...create(id) });
    expect(await channel().transactionById(transactionId)).toMatchObject({ validationCode: 0 });
    const stored = await channel().evaluate({ chaincode: 'basic', function: 'ReadAsset', arguments: [id] });
    expect(JSON.parse(Buffer.from(stored).toString())).toMatchObject({ ID: id });
    const again = { chaincode: 'basic', ...create(id) };
    await expectRefusal(channel().submit(again), 'LEDGER.ASSET_EXISTS');
    const elsewhere = { chaincode: 'nobodys', ...create(id) };
    await expectRefusal(channel().submit(elsewhere), 'LEDGER.CHAINCODE_UNKNOWN');
    await expectRefusal(channel().evaluate(elsewhere), 'LEDGER.CHAINCODE_UNKNOWN');
  });

  it('keeps nothing of an evaluated write', async () => {
    const id = randomUUID();
    await channel().evaluate(create(id));
    await expectRefusal(read(channel(), id), 'LEDGER.ASSET_NOT_FOUND');
  });

  it('lets exactly one of many concurrent creates of one id win', async () => {
    const id = randomUUID();
    const ends = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        channel().submit({ function: 'CreateAsset', arguments: [id, 'blue', String(n), 'Tomoko', '300'] }),
      ),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const end of ends) {
      if (end.status === 'rejected') expect(['LEDGER.ASSET_EXISTS', 'LEDGER.CONFLICT']).toContain(codeOf(end.reason));
    }
    const winner = ends.findIndex(({ status }) => status === 'fulfilled');
    expect(await read(channel(), id)).toMatchObject({ size: String(winner) });
  });

  it('counts the writes that wait', async () => {
    const writes = Array.from({ length: 5 }, () => channel().submit(create(randomUUID())));
    expect(channel().queueLength()).toBeGreaterThan(0);
    await Promise.all(writes);
    expect(channel().queueLength()).toBe(0);
  });

  it('refuses a call whose time was up before it came', async () => {
    const late = [{ deadline: Date.now() - 1 }, { signal: AbortSignal.abort() }];
    for (const options of late) {
      const id = randomUUID();
      await expectRefusal(channel().submit(create(id), options), 'LEDGER.TIMEOUT');
      await expectRefusal(read(channel(), id), 'LEDGER.ASSET_NOT_FOUND');
      await expectRefusal(channel().evaluate({ function: 'AssetExists', arguments: [id] }, options), 'LEDGER.TIMEOUT');
    }
  });
}

function chainConformance(channel: () => LedgerChannel): void {
  it('grows by its commits, each block naming the one before', async () => {
    const { blockNumber } = await channel().submit(create(randomUUID()));
    const info = await channel().chainInfo();
    expect(info.channel).toBe(channel().name);
    const newest = await channel().blockByNumber(info.height - 1);
    const previous = await channel().blockByNumber(info.height - 2);
    expect(newest?.hash).toBe(info.currentBlockHash);
    expect(previous?.hash).toBe(info.previousBlockHash);
    for (let number = Math.max(1, blockNumber - 2); number <= blockNumber; number++) {
      const before = await blockAt(channel(), number - 1);
      const block = decodeBlock((await blockAt(channel(), number)).bytes);
      expect(block.header.number).toBe(number);
      expect(Buffer.from(block.header.previousHash).toString('hex')).toBe(before.hash);
    }
  });

  it('begins with a configuration block', async () => {
    const first = await blockAt(channel(), 0);
    const { header, hash, envelopes } = decodeBlock(first.bytes);
    expect(header.number).toBe(0);
    expect(Buffer.from(hash).toString('hex')).toBe(first.hash);
    expect(decodeEnvelope(envelopes[0] ?? new Uint8Array()).type).toBe(1);
  });

  it('finds a transaction by its id, in the block that was acknowledged', async () => {
    const { transactionId, blockNumber } = await channel().submit(create(randomUUID()));
    const block = await blockAt(channel(), blockNumber);
    const found = await channel().transactionById(transactionId);
    expect(found).toMatchObject({ transactionId, blockNumber, blockHash: block.hash, validationCode: 0 });
    const envelope = Buffer.from(found?.envelope ?? []);
    expect(decodeEnvelope(envelope).transactionId).toBe(transactionId);
    expect(decodeBlock(block.bytes).envelopes.some((candidate) => envelope.equals(candidate))).toBe(true);
  });

  it('knows no other transaction and no other block', async () => {
    expect(await channel().transactionById('0'.repeat(64))).toBeUndefined();
    const { height } = await channel().chainInfo();
    expect(await channel().blockByNumber(height + 1000)).toBeUndefined();
  });
}

function eventConformance(channel: () => LedgerChannel): void {
  it('gives what was recorded, then what commits, without a gap, until the signal', async () => {
    for (let n = 0; n < 3; n++) await channel().submit(create(randomUUID()));
    const { height } = await channel().chainInfo();
    const stop = new AbortController();
    const seen: LedgerBlock[] = [];
    const done = (async () => {
      for await (const block of channel().blockEvents({ startBlock: height - 3, signal: stop.signal })) {
        seen.push(block);
        // What commits from here on is live.
        if (block.number === height - 1) void channel().submit(create(randomUUID()));
        if (block.number >= height) stop.abort();
      }
    })();
    await done;
    expect(seen.map(({ number }) => number)).toEqual(seen.map((_, index) => height - 3 + index));
    expect(seen.length).toBeGreaterThanOrEqual(4);
    for (const block of seen) expect(await channel().blockByNumber(block.number)).toEqual(block);
  });

  it('serves several readers, each at its own pace', async () => {
    const { height } = await channel().chainInfo();
    const stop = new AbortController();
    const readers = [0, 0].map(() => take(channel().blockEvents({ startBlock: height, signal: stop.signal }), 2));
    await channel().submit(create(randomUUID()));
    await channel().submit(create(randomUUID()));
    const [first, second] = await Promise.all(readers);
    expect(first?.map(({ number }) => number)).toEqual([height, height + 1]);
    expect(second).toEqual(first);
    stop.abort();
  });
}

const create = (id: string): LedgerCall => ({ function: 'CreateAsset', arguments: [id, ...FIELDS] });

const asset = (ID: string) => ({ ID, color: 'blue', size: '5', owner: 'Tomoko', appraisedValue: '300' });

async function read(channel: LedgerChannel, id: string): Promise<unknown> {
  const bytes = await channel.evaluate({ function: 'ReadAsset', arguments: [id] });
  return JSON.parse(Buffer.from(bytes).toString());
}

async function blockAt(channel: LedgerChannel, number: number): Promise<LedgerBlock> {
  const block = await channel.blockByNumber(number);
  if (block === undefined) throw new Error(`There is no block ${number}.`);
  return block;
}

async function take<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) if (taken.push(item) === count) break;
  return taken;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  return take(items, Infinity);
}
