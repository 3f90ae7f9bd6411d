import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decodeBlock, decodeEnvelope } from '#fabric-codec';
import type { AssetChange, AssetFilter, ChainPosition, Page, TransactionFilter } from '../ports/chain-lists.js';
import type { Ledger } from '../ports/ledger.port.js';
import { expectRefusal } from './expect-refusal.js';

/** The tests for pages that every driver must pass, on a ledger to which other clients may write. */
export function pagesConformance(ledger: () => Ledger, hasHistory: () => boolean): void {
  describe('histories', () => {
    it('list all versions of an asset and their creators, newest first, across its deletion', async () => {
      const id = `änder-🚀 ${randomUUID()}`;
      const made = await live(ledger(), id);
      if (!hasHistory()) {
        await expectRefusal(ledger().lists.assetHistory(id, { limit: 10 }), 'LEDGER.NOT_SUPPORTED');
        return;
      }
      const { items, next } = await ledger().lists.assetHistory(id, { limit: 10 });
      expect(next).toBeUndefined();
      expect(items.map(({ transactionId }) => transactionId)).toEqual(made.toReversed());
      expect(items.map(({ isDelete }) => isDelete)).toEqual([false, true, false, false, false]);
      expect(items.map(({ asset }) => asset && (JSON.parse(asset) as { owner: string }).owner)).toEqual([
        'Eve',
        undefined,
        'Bob',
        'Ann',
        'Tomoko',
      ]);
      for (const { transactionId, blockNumber, timestamp, creatorId, creatorMspId } of items) {
        const recorded = await ledger().transactionById(transactionId);
        expect(recorded).toMatchObject({ blockNumber });
        expect(Date.parse(timestamp)).not.toBeNaN();
        expect([creatorId, creatorMspId]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
      }
    });

    it('are complete and without duplicates when read page by page while the asset changes', async () => {
      if (!hasHistory()) return;
      const id = randomUUID();
      const made = (await live(ledger(), id)).toReversed();
      const walked: AssetChange[] = [];
      let before: ChainPosition | undefined;
      do {
        const page: Page<AssetChange> = await ledger().lists.assetHistory(id, { limit: 2, before });
        walked.push(...page.items);
        before = page.next;
        await ledger().submit({ function: 'TransferAsset', arguments: [id, 'Zoe'] });
      } while (before !== undefined);
      expect(walked.map(({ transactionId }) => transactionId)).toEqual(made);
    });

    it('begin at any position, also at one that did not change the asset', async () => {
      if (!hasHistory()) return;
      const id = randomUUID();
      const made = (await live(ledger(), id)).toReversed();
      const { blockNumber, position } = (await ledger().transactionById(made[1]!))!;
      const other = await ledger().submit({ function: 'CreateAsset', arguments: [randomUUID(), ...FIELDS] });
      const from = async (before: ChainPosition) =>
        (await ledger().lists.assetHistory(id, { limit: 10, before })).items.map(({ transactionId }) => transactionId);
      expect(await from({ block: blockNumber, position })).toEqual(made.slice(2));
      expect(await from({ block: blockNumber, position: position + 1 })).toEqual(made.slice(1));
      expect(await from({ block: other.blockNumber, position: 0 })).toEqual(made);
      expect(await from({ block: other.blockNumber + 1000, position: 3 })).toEqual(made);
      expect(await from({ block: 0, position: 0 })).toEqual([]);
    });

    it('are refused for an asset that never existed', async () => {
      if (!hasHistory()) return;
      await expectRefusal(ledger().lists.assetHistory(randomUUID(), { limit: 10 }), 'LEDGER.ASSET_NOT_FOUND');
    });
  });

  describe('versions at a block', () => {
    it('are the assets as they were, also before, between and after deletions', async () => {
      const id = `änder-🚀 ${randomUUID()}`;
      const made = await live(ledger(), id);
      const places = await Promise.all(made.map((transactionId) => ledger().transactionById(transactionId)));
      const blocks = places.map((place) => place!.blockNumber);
      if (!hasHistory()) {
        await expectRefusal(ledger().lists.assetAt(id, blocks[0]!), 'LEDGER.NOT_SUPPORTED');
        return;
      }
      await expectRefusal(ledger().lists.assetAt(id, 0), 'LEDGER.ASSET_NOT_FOUND');
      await expectRefusal(ledger().lists.assetAt(id, blocks[0]! - 1), 'LEDGER.ASSET_NOT_FOUND');
      const owners = ['Tomoko', 'Ann', 'Bob', undefined, 'Eve'];
      for (const [index, owner] of owners.entries()) {
        // Up to the block before the next change, the asset was the same.
        for (const block of new Set([blocks[index]!, (blocks[index + 1] ?? blocks[index]! + 1) - 1])) {
          if (owner === undefined) await expectRefusal(ledger().lists.assetAt(id, block), 'LEDGER.ASSET_NOT_FOUND');
          else expect(JSON.parse(await ledger().lists.assetAt(id, block))).toMatchObject({ ID: id, owner });
        }
      }
    });

    it('are found among many changes, and at the newest block', async () => {
      if (!hasHistory()) return;
      const id = randomUUID();
      await ledger().submit(create(id));
      const blocks: number[] = [];
      for (let n = 0; n < 20; n++) {
        const call = { function: 'TransferAsset', arguments: [id, `owner ${n}`] };
        blocks.push((await ledger().submit(call)).blockNumber);
      }
      for (const n of [0, 1, 9, 18, 19]) {
        expect(JSON.parse(await ledger().lists.assetAt(id, blocks[n]!))).toMatchObject({ owner: `owner ${n}` });
      }
      const { height } = await ledger().chainInfo();
      expect(JSON.parse(await ledger().lists.assetAt(id, height - 1))).toMatchObject({ owner: 'owner 19' });
    });

    it('are refused beyond the newest block, and for an asset that never existed', async () => {
      const { height } = await ledger().chainInfo();
      await expectRefusal(ledger().lists.assetAt('asset1', height + 1000), 'LEDGER.INVALID_ARGUMENT');
      if (hasHistory()) await expectRefusal(ledger().lists.assetAt(randomUUID(), height - 1), 'LEDGER.ASSET_NOT_FOUND');
    });
  });

  describe('ranges of time', () => {
    it('select transactions, blocks and versions by their timestamps, with since inclusive and until exclusive', async () => {
      const id = randomUUID();
      const made = await live(ledger(), id);
      const all = await walk((before?: ChainPosition) => ledger().lists.transactions({ limit: 100, before }), 2);
      const [first, last] = [made[1]!, made[3]!].map((wanted) => all.find((it) => it.transactionId === wanted)!);
      const range = { since: first!.timestamp, until: last!.timestamp };
      const inRange = (timestamp: string) =>
        Date.parse(timestamp) >= Date.parse(range.since) && timestamp < range.until;
      const ids = (items: readonly { readonly transactionId: string }[]) => items.map((it) => it.transactionId);

      const found = await walk((before?: ChainPosition) => ledger().lists.transactions({ limit: 2, before, ...range }));
      expect(ids(found)).toEqual(ids(all.filter(({ timestamp }) => inRange(timestamp))));
      const blocks = await walk((before?: number) => ledger().lists.blocks({ limit: 1, before, ...range }));
      expect(blocks.length).toBeGreaterThan(0);
      for (const { timestamp } of blocks) expect(inRange(timestamp)).toBe(true);
      if (!hasHistory()) return;
      const versions = await walk((before?: ChainPosition) =>
        ledger().lists.assetHistory(id, { limit: 1, before, ...range }),
      );
      const wanted = all.filter((it) => inRange(it.timestamp) && made.includes(it.transactionId));
      expect(ids(versions)).toEqual(ids(wanted));
      expect(ids(versions)).toContain(made[1]);
    });
  });

  describe('a search', () => {
    it('finds assets, blocks and transactions by how they begin', async () => {
      const mark = randomUUID();
      const { transactionId } = await ledger().submit(create(`${mark}-1`));
      await ledger().submit(create(`${mark}-2`));
      const found = await ledger().lists.search({ text: mark, limit: 5 });
      expect(found).toEqual([1, 2].map((n) => ({ kind: 'asset', value: `${mark}-${n}` })));
      expect(await ledger().lists.search({ text: mark, limit: 1 })).toHaveLength(1);
      expect(await ledger().lists.search({ text: transactionId, limit: 5 })).toEqual([
        { kind: 'transaction', value: transactionId },
      ]);
      expect(await ledger().lists.search({ text: '0', limit: 50 })).toContainEqual({ kind: 'block', value: '0' });
      expect(await ledger().lists.search({ text: `${mark}-3`, limit: 5 })).toEqual([]);
    });
  });

  describe('assets', () => {
    it('are selected by the beginning of their ids, page by page', async () => {
      const prefix = `${randomUUID()}-ä`;
      const ids = ['', ' ', '-1', '1', '10', '2', 'Z', 'a', 'é', '🚀', '\u{10ffff}'].map((end) => prefix + end);
      const others = [
        prefix.slice(0, -1),
        `${prefix.slice(0, -1)}ã\u{10ffff}x`,
        `${prefix.slice(0, -1)}å`,
        prefix.toUpperCase(),
      ];
      for (const id of [...ids, ...others]) await ledger().submit(create(id));
      await ledger().submit({ function: 'TransferAsset', arguments: [`${prefix}10`, 'Ann'] });
      const found = (filter: AssetFilter, limit = 3) =>
        walk(async (after?: string) => ledger().assets!({ limit, after, ...filter })).then((texts) =>
          texts.map((text) => (JSON.parse(text) as { ID: string }).ID),
        );
      for (const limit of [1, 3, ids.length, 1000]) expect(await found({ prefix }, limit)).toEqual(ids);
      expect(await found({ prefix: `${prefix}1` })).toEqual([`${prefix}1`, `${prefix}10`]);
      expect(await found({ prefix, owner: 'Ann' })).toEqual([`${prefix}10`]);
      expect(await found({ prefix, color: 'red' })).toEqual([]);
      expect(await found({ prefix: `${prefix}none` })).toEqual([]);
      expect(await ledger().assets!({ limit: 2, prefix: `${prefix}1` })).not.toHaveProperty('next');
    });

    it('are filtered by their fields, complete and without duplicates while other assets change', async () => {
      const mark = randomUUID();
      const ids = Array.from({ length: 7 }, (_, n) => `${mark}-${n}`);
      for (const [n, id] of ids.entries()) {
        const color = n % 2 === 0 ? 'blue' : 'red';
        await ledger().submit({ function: 'CreateAsset', arguments: [id, color, '5', mark, '300'] });
      }
      const found = async (filter: AssetFilter, between?: () => Promise<unknown>) => {
        const texts = await walk(async (after?: string) => {
          const page = await ledger().assets!({ limit: 2, after, ...filter });
          await between?.();
          return page;
        });
        return texts.map((text) => (JSON.parse(text) as { ID: string }).ID);
      };
      let others = 0;
      const write = () => ledger().submit(create(`${ids[3]!}-${others++}`));
      expect(await found({ owner: mark }, write)).toEqual(ids);
      expect(await found({ owner: mark, color: 'blue', size: '5' })).toEqual(ids.filter((_, n) => n % 2 === 0));
      expect(await found({ owner: mark, size: '6' })).toEqual([]);
      await ledger().submit({ function: 'TransferAsset', arguments: [ids[2]!, `${mark}x`] });
      await ledger().submit({ function: 'DeleteAsset', arguments: [ids[4]!] });
      expect(await found({ owner: mark })).toEqual(ids.filter((_, n) => n !== 2 && n !== 4));
      expect(await found({ owner: `${mark}x` })).toEqual([ids[2]]);
    });
  });

  describe('blocks', () => {
    it('are listed newest first, down to the configuration block', async () => {
      const { transactionId, blockNumber } = await ledger().submit(create(randomUUID()));
      const { height } = await ledger().chainInfo();
      const blocks = await walk((before?: number) => ledger().lists.blocks({ limit: 3, before }));
      expect(blocks.map(({ number }) => number)).toEqual(countdown(blocks[0]!.number));
      expect(blocks[0]!.number).toBeGreaterThanOrEqual(height - 1);
      for (const block of blocks.slice(-5).concat(blocks.slice(0, 5))) {
        const { bytes, hash } = (await ledger().blockByNumber(block.number))!;
        const { header, envelopes } = decodeBlock(bytes);
        expect(block).toMatchObject({
          hash,
          previousHash: hex(header.previousHash),
          dataHash: hex(header.dataHash),
          transactions: envelopes.map((it) => ({ transactionId: decodeEnvelope(it).transactionId })),
        });
      }
      expect(blocks.at(-1)!.transactions).toMatchObject([
        { type: 'CONFIG', function: '', firstArgument: '', chaincodeId: '' },
      ]);
      const made = blocks.find(({ number }) => number === blockNumber)!.transactions;
      expect(made.find((it) => it.transactionId === transactionId)).toMatchObject({
        blockNumber,
        type: 'ENDORSER_TRANSACTION',
        function: 'CreateAsset',
        validationCode: 'VALID',
        creatorId: expect.stringMatching(/./) as unknown,
        creatorMspId: expect.stringMatching(/./) as unknown,
      });
    });

    it('are an empty page before the first block, and begin with the newest for a cursor above it', async () => {
      expect(await ledger().lists.blocks({ limit: 5, before: 0 })).toEqual({ items: [] });
      const { items } = await ledger().lists.blocks({ limit: 1, before: Number.MAX_SAFE_INTEGER });
      expect(items).toHaveLength(1);
    });
  });

  describe('transactions', () => {
    it('are listed newest first, complete and without duplicates while other clients write', async () => {
      for (let n = 0; n < 3; n++) {
        await Promise.all(Array.from({ length: 5 }, () => ledger().submit(create(randomUUID()))));
      }
      const blocks = await walk((before?: number) => ledger().lists.blocks({ limit: 200, before }));
      const ids = blocks.flatMap(({ transactions }) => transactions.toReversed().map((it) => it.transactionId));
      const walked = await walk(async (before?: ChainPosition) => {
        await ledger().submit(create(randomUUID()));
        return ledger().lists.transactions({
          limit: 4,
          before: before ?? { block: blocks[0]!.number + 1, position: 0 },
        });
      }, 6);
      expect(walked.map(({ transactionId }) => transactionId)).toEqual(ids.slice(0, walked.length));
      expect(walked.length).toBeGreaterThan(15);
    });

    it('are filtered by function and creator', async () => {
      const id = randomUUID();
      const { blockNumber } = await ledger().submit(create(id));
      const { transactionId } = await ledger().submit({ function: 'TransferAsset', arguments: [id, 'Ann'] });
      const { items } = await ledger().lists.transactions({ limit: 1, function: 'TransferAsset' });
      expect(items).toMatchObject([{ function: 'TransferAsset', firstArgument: id }]);
      const { creatorId: creator } = items[0]!;
      const since = async (filter: TransactionFilter) => {
        const all = await walk(
          (before?: ChainPosition) => ledger().lists.transactions({ limit: 50, before, ...filter }),
          2,
        );
        return all.filter((it) => it.blockNumber >= blockNumber).map((it) => it.transactionId);
      };
      expect(await since({ creator, function: 'TransferAsset' })).toContain(transactionId);
      expect(await since({ function: 'UpdateAsset' })).not.toContain(transactionId);
      expect(await since({ creator: `${creator}x` })).toEqual([]);
      expect(await since({ prefix: transactionId.slice(0, 12) })).toEqual([transactionId]);
      expect(await since({ prefix: transactionId, function: 'CreateAsset' })).toEqual([]);
    });
  });
}

/** Returns the items of all pages, or of a number of pages. */
async function walk<T, C>(page: (before?: C) => Promise<Page<T, C>>, most = Infinity): Promise<T[]> {
  const items: T[] = [];
  let before: C | undefined;
  for (let read = 0; read < most; read++) {
    const found = await page(before);
    items.push(...found.items);
    if (found.next === undefined) break;
    before = found.next;
  }
  return items;
}

const countdown = (from: number) => Array.from({ length: from + 1 }, (_, index) => from - index);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const create = (id: string) => ({ function: 'CreateAsset', arguments: [id, ...FIELDS] });

const FIELDS = ['blue', '5', 'Tomoko', '300'] as const;

/** Changes an asset five times, and returns the transaction ids, oldest first. */
async function live(ledger: Ledger, id: string): Promise<string[]> {
  const calls = [
    { function: 'CreateAsset', arguments: [id, ...FIELDS] },
    { function: 'UpdateAsset', arguments: [id, 'red', '6', 'Ann', '301'] },
    { function: 'TransferAsset', arguments: [id, 'Bob'] },
    { function: 'DeleteAsset', arguments: [id] },
    { function: 'CreateAsset', arguments: [id, 'blue', '5', 'Eve', '300'] },
  ];
  const made: string[] = [];
  for (const call of calls) made.push((await ledger.submit(call)).transactionId);
  return made;
}
