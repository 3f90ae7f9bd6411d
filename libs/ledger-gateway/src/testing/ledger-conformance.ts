import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Asset, assetDigest, encodeBatch, readBatchResult } from '#asset-contract';
import { decodeBlock, decodeEnvelope } from '#fabric-codec';
import { treeEntry } from '#fabric-codec/encode';
import { until } from '../../../../test/support/until.js';
import type { Ledger, LedgerBlock, LedgerCall } from '../ports/ledger.port.js';
import { codeOf, expectRefusal } from './expect-refusal.js';
import { keyedConformance } from './keyed-conformance.js';
import { pagesConformance } from './pages-conformance.js';
import { receiptConformance } from './receipt-conformance.js';

/** A ledger for a test suite to write to, and the function that removes it after it was closed. */
export interface LedgerUnderTest {
  readonly ledger: Ledger;
  readonly dispose: () => Promise<void> | void;
  /** Neither the chaincode nor the driver supports conditional writes. */
  readonly withoutConditions?: boolean;
  /** The chaincode does not provide histories. */
  readonly withoutHistory?: boolean;
}

const FIELDS = ['blue', '5', 'Tomoko', '300'] as const;

/**
 * The tests that every driver must pass, on a ledger that may contain other data and be written to by other clients.
 * @param makeLedger - opens a ledger with the asset contract
 */
export function ledgerConformance(name: string, makeLedger: () => Promise<LedgerUnderTest>): void {
  describe(`${name} conforms to the ledger port`, () => {
    let made: LedgerUnderTest;
    let ledger: Ledger;
    beforeAll(async () => {
      made = await makeLedger();
      ({ ledger } = made);
    });
    afterAll(async () => {
      await made.ledger.close();
      await made.dispose();
    });

    describe('calls', () => {
      callConformance(
        () => ledger,
        () => made.withoutConditions !== true,
        // Both are functions of our contract.
        () => made.withoutHistory !== true,
      );
    });
    describe('writes with an idempotency key', () => {
      keyedConformance(() => ledger);
    });
    describe('the chain', () => {
      chainConformance(() => ledger);
    });
    describe('pages', () => {
      pagesConformance(
        () => ledger,
        () => made.withoutHistory !== true,
      );
    });
    describe('receipts', () => {
      receiptConformance(() => ledger);
    });
    describe('block events', () => {
      eventConformance(() => ledger);
    });
  });

  describe(`${name}, opened and closed`, () => {
    it('is ready, and after close refuses calls and ends block events', async () => {
      const { ledger, dispose } = await makeLedger();
      try {
        // Peers that are still busy with the previous suite may not answer within the probe's time limit.
        await until(async () => (await ledger.connectionState()).status === 'ready');
        const { height } = await ledger.chainInfo();
        const rest = collect(ledger.blockEvents({ startBlock: height }));
        await Promise.all([ledger.close(), ledger.close()]);
        expect(await rest).toEqual([]);
        expect(await ledger.connectionState()).toMatchObject({ status: 'unavailable' });
        await expectRefusal(ledger.submit(create(randomUUID())), 'LEDGER.UNAVAILABLE');
        await expectRefusal(ledger.evaluate({ function: 'ReadAsset', arguments: ['a'] }), 'LEDGER.UNAVAILABLE');
        await expectRefusal(ledger.chainInfo(), 'LEDGER.UNAVAILABLE');
      } finally {
        await dispose();
      }
    });
  });
}

function callConformance(ledger: () => Ledger, hasConditions: () => boolean, hasBatches: () => boolean): void {
  it('acknowledges a write that can be read at once', async () => {
    const id = randomUUID();
    const { transactionId, blockNumber, result } = await ledger().submit(create(id));
    expect(transactionId).toMatch(/^[0-9a-f]{64}$/);
    expect(result).toBeInstanceOf(Uint8Array);
    expect(await read(ledger(), id)).toEqual(asset(id));
    expect((await ledger().chainInfo()).height).toBeGreaterThan(blockNumber);
  });

  it('executes a conditional write, and refuses it after the asset has changed', async () => {
    const id = randomUUID();
    await ledger().submit(create(id));
    const digest = assetDigest(await ledger().evaluate({ function: 'ReadAsset', arguments: [id] }));
    const transfer = (to: string) => ledger().submit({ function: 'TransferAssetIfMatch', arguments: [id, to, digest] });
    if (!hasConditions()) {
      await expectRefusal(transfer('Brad'), 'LEDGER.NOT_SUPPORTED');
      return;
    }
    const [first, second] = await Promise.allSettled([transfer('Brad'), transfer('Eve')]);
    const made = [first, second].filter(({ status }) => status === 'fulfilled');
    expect(made).toHaveLength(1);
    await expectRefusal(transfer('Ada'), 'LEDGER.ASSET_CHANGED');
    expect(await read(ledger(), id)).toEqual({ ...asset(id), owner: first.status === 'fulfilled' ? 'Brad' : 'Eve' });
  });

  it('creates a batch, in which an asset that is refused refuses no other', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    await ledger().submit(create(first));
    const batch = [first, second, second].map((id) => asset(id) as Asset);
    const submitted = ledger().submit({ function: 'CreateAssets', arguments: [encodeBatch(batch)] });
    if (!hasBatches()) {
      await expectRefusal(submitted, 'LEDGER.FUNCTION_UNKNOWN');
      return;
    }
    const { created, refused } = readBatchResult((await submitted).result);
    expect({ created, refused: refused.map(({ index, code }) => `${index} ${code}`) }).toEqual({
      created: 1,
      refused: ['0 ASSET_EXISTS', '2 ASSET_EXISTS'],
    });
    expect(await read(ledger(), second)).toEqual(asset(second));
  });

  it('updates, transfers and deletes', async () => {
    const id = randomUUID();
    await ledger().submit(create(id));
    await ledger().submit({ function: 'UpdateAsset', arguments: [id, 'red', '6', 'Ann', '301'] });
    expect(await read(ledger(), id)).toEqual({ ID: id, color: 'red', size: '6', owner: 'Ann', appraisedValue: '301' });
    await ledger().submit({ function: 'TransferAsset', arguments: [id, 'Bob'] });
    expect(await read(ledger(), id)).toMatchObject({ owner: 'Bob', color: 'red' });
    await ledger().submit({ function: 'DeleteAsset', arguments: [id] });
    await expectRefusal(read(ledger(), id), 'LEDGER.ASSET_NOT_FOUND');
  });

  it('accepts any text as an id and as a value', async () => {
    const id = `änder-🚀 "${randomUUID()}"/\\ __proto__`;
    const owner = '\u0000\u001f\u2028 ＝ 𝕏 \\u0041';
    await ledger().submit({ function: 'CreateAsset', arguments: [id, 'blue', '5', owner, '300'] });
    expect(await read(ledger(), id)).toEqual({ ...asset(id), owner });
  });

  it('reports why the contract refuses, and leaves the state unchanged', async () => {
    const id = randomUUID();
    await ledger().submit(create(id));
    await expectRefusal(
      ledger().submit({ function: 'CreateAsset', arguments: [id, 'red', '1', 'Eve', '1'] }),
      'LEDGER.ASSET_EXISTS',
    );
    expect(await read(ledger(), id)).toEqual(asset(id));
    const missing = randomUUID();
    await expectRefusal(read(ledger(), missing), 'LEDGER.ASSET_NOT_FOUND');
    await expectRefusal(
      ledger().submit({ function: 'UpdateAsset', arguments: [missing, ...FIELDS] }),
      'LEDGER.ASSET_NOT_FOUND',
    );
    await expectRefusal(
      ledger().submit({ function: 'TransferAsset', arguments: [missing, 'Eve'] }),
      'LEDGER.ASSET_NOT_FOUND',
    );
  });

  it('refuses an unknown function', async () => {
    await expectRefusal(ledger().submit({ function: 'NoSuchFunction', arguments: [] }), 'LEDGER.FUNCTION_UNKNOWN');
    await expectRefusal(ledger().evaluate({ function: 'NoSuchFunction', arguments: [] }), 'LEDGER.FUNCTION_UNKNOWN');
  });

  it('calls a named chaincode as it is, and refuses an unknown name', async () => {
    const id = randomUUID();
    const { transactionId } = await ledger().submit({ chaincode: 'basic', ...create(id) });
    expect(await ledger().transactionById(transactionId)).toMatchObject({ validationCode: 0 });
    const stored = await ledger().evaluate({ chaincode: 'basic', function: 'ReadAsset', arguments: [id] });
    expect(JSON.parse(Buffer.from(stored).toString())).toMatchObject({ ID: id });
    const again = { chaincode: 'basic', ...create(id) };
    await expectRefusal(ledger().submit(again), 'LEDGER.ASSET_EXISTS');
    const elsewhere = { chaincode: 'nobodys', ...create(id) };
    await expectRefusal(ledger().submit(elsewhere), 'LEDGER.CHAINCODE_UNKNOWN');
    await expectRefusal(ledger().evaluate(elsewhere), 'LEDGER.CHAINCODE_UNKNOWN');
  });

  it('records nothing of an evaluated write', async () => {
    const id = randomUUID();
    await ledger().evaluate(create(id));
    await expectRefusal(read(ledger(), id), 'LEDGER.ASSET_NOT_FOUND');
  });

  it('executes exactly one of many concurrent creates of one id', async () => {
    const id = randomUUID();
    const ends = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        ledger().submit({ function: 'CreateAsset', arguments: [id, 'blue', String(n), 'Tomoko', '300'] }),
      ),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const end of ends) {
      if (end.status === 'rejected') expect(['LEDGER.ASSET_EXISTS', 'LEDGER.CONFLICT']).toContain(codeOf(end.reason));
    }
    const winner = ends.findIndex(({ status }) => status === 'fulfilled');
    expect(await read(ledger(), id)).toMatchObject({ size: String(winner) });
  });

  it('counts waiting writes', async () => {
    const writes = Array.from({ length: 5 }, () => ledger().submit(create(randomUUID())));
    expect(ledger().queueLength()).toBeGreaterThan(0);
    await Promise.all(writes);
    expect(ledger().queueLength()).toBe(0);
  });
}

function chainConformance(ledger: () => Ledger): void {
  it('lists its default channel first', () => {
    const [first] = ledger().channels;
    expect(first).toEqual([ledger().channel, ledger()]);
  });

  it('grows with each commit, and each block contains the hash of the previous one', async () => {
    const { blockNumber } = await ledger().submit(create(randomUUID()));
    const info = await ledger().chainInfo();
    expect(info.channel).toBe(ledger().channel);
    const newest = await ledger().blockByNumber(info.height - 1);
    const previous = await ledger().blockByNumber(info.height - 2);
    expect(newest?.hash).toBe(info.currentBlockHash);
    expect(previous?.hash).toBe(info.previousBlockHash);
    for (let number = Math.max(1, blockNumber - 2); number <= blockNumber; number++) {
      const before = await blockAt(ledger(), number - 1);
      const block = decodeBlock((await blockAt(ledger(), number)).bytes);
      expect(block.header.number).toBe(number);
      expect(Buffer.from(block.header.previousHash).toString('hex')).toBe(before.hash);
    }
  });

  it('begins with a configuration block', async () => {
    const first = await blockAt(ledger(), 0);
    const { header, hash, envelopes } = decodeBlock(first.bytes);
    expect(header.number).toBe(0);
    expect(Buffer.from(hash).toString('hex')).toBe(first.hash);
    expect(decodeEnvelope(envelopes[0] ?? new Uint8Array()).type).toBe(1);
  });

  it('finds a transaction by its id in the reported block', async () => {
    const { transactionId, blockNumber } = await ledger().submit(create(randomUUID()));
    const block = await blockAt(ledger(), blockNumber);
    const found = await ledger().transactionById(transactionId);
    expect(found).toMatchObject({ transactionId, blockNumber, blockHash: block.hash, validationCode: 0 });
    const envelope = Buffer.from(found?.envelope ?? []);
    expect(decodeEnvelope(envelope).transactionId).toBe(transactionId);
    expect(decodeBlock(block.bytes).envelopes.some((candidate) => envelope.equals(candidate))).toBe(true);
  });

  it('returns undefined for an unknown transaction or block', async () => {
    expect(await ledger().transactionById('0'.repeat(64))).toBeUndefined();
    const { height } = await ledger().chainInfo();
    expect(await ledger().blockByNumber(height + 1000)).toBeUndefined();
  });
}

function eventConformance(ledger: () => Ledger): void {
  it('yields recorded blocks, then new ones, without a gap, until the signal', async () => {
    for (let n = 0; n < 3; n++) await ledger().submit(create(randomUUID()));
    const { height } = await ledger().chainInfo();
    const stop = new AbortController();
    const seen: LedgerBlock[] = [];
    const done = (async () => {
      for await (const block of ledger().blockEvents({ startBlock: height - 3, signal: stop.signal })) {
        seen.push(block);
        // Later commits are live events.
        if (block.number === height - 1) void ledger().submit(create(randomUUID()));
        if (block.number >= height) stop.abort();
      }
    })();
    await done;
    expect(seen.map(({ number }) => number)).toEqual(seen.map((_, index) => height - 3 + index));
    expect(seen.length).toBeGreaterThanOrEqual(4);
    for (const block of seen) expect(await ledger().blockByNumber(block.number)).toEqual(block);
  });

  it('yields the tree entries of recorded blocks, then of new ones', async () => {
    const { height } = await ledger().chainInfo();
    const stop = new AbortController();
    const entries: Uint8Array[] = [];
    for await (const some of ledger().treeEntries!({ startBlock: 0, signal: stop.signal })) {
      const before = entries.length;
      entries.push(...some);
      // Later commits are new entries.
      if (before < height && entries.length >= height)
        for (let n = 0; n < 2; n++) await ledger().submit(create(randomUUID()));
      if (entries.length >= height + 2) stop.abort();
    }
    for (const [number, entry] of entries.entries()) {
      const { bytes } = (await ledger().blockByNumber(number))!;
      expect(Buffer.from(entry)).toEqual(treeEntry(decodeBlock(bytes)));
    }
  });

  it('serves several readers, each at its own pace', async () => {
    const { height } = await ledger().chainInfo();
    const stop = new AbortController();
    const readers = [0, 0].map(() => take(ledger().blockEvents({ startBlock: height, signal: stop.signal }), 2));
    await ledger().submit(create(randomUUID()));
    await ledger().submit(create(randomUUID()));
    const [first, second] = await Promise.all(readers);
    expect(first?.map(({ number }) => number)).toEqual([height, height + 1]);
    expect(second).toEqual(first);
    stop.abort();
  });
}

const create = (id: string): LedgerCall => ({ function: 'CreateAsset', arguments: [id, ...FIELDS] });

const asset = (ID: string) => ({ ID, color: 'blue', size: '5', owner: 'Tomoko', appraisedValue: '300' });

async function read(ledger: Ledger, id: string): Promise<unknown> {
  const bytes = await ledger.evaluate({ function: 'ReadAsset', arguments: [id] });
  return JSON.parse(Buffer.from(bytes).toString());
}

async function blockAt(ledger: Ledger, number: number): Promise<LedgerBlock> {
  const block = await ledger.blockByNumber(number);
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
