import { closeSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { gatewayOnStandIn, type LedgerOnStandIn } from '#fabric-ledger/testing';
import { type Ledger, type LedgerChannel, LedgerError } from '#ledger-gateway';
import { mountSmallDisk, smallDiskWorks } from '../../../test/support/small-disk.js';
import { until } from '../../../test/support/until.js';
import { indexOpener } from './open-indexes.js';
import { IndexDirectory, indexed } from './testing/index-on-stand-in.js';

let directory: IndexDirectory;
let made: LedgerOnStandIn;
let logged: string[];
const log = (_: object, message: string) => {
  logged.push(message);
};
const logger = { info: log, warn: log, error: log };
const BUILT_AGAIN = 'the index of the channel is built again';

const create = (ledger: Ledger, id: string) =>
  ledger.submit({ function: 'CreateAsset', arguments: [id, 'blue', '5', 'Tomoko', '300'] });
const newest = async (ledger: LedgerChannel) => (await ledger.lists.transactions({ limit: 1 })).items[0]?.transactionId;
const hasStatus = (ledger: LedgerChannel, status: string) => ledger.indexState?.()?.status === status;

beforeEach(() => {
  directory = new IndexDirectory();
  logged = [];
});

afterEach(async () => {
  await made.dispose();
  directory.remove();
});

const open = async (options: Parameters<IndexDirectory['opener']>[0] = { logger }) => {
  made = await gatewayOnStandIn({ signAs: 'service', openIndex: directory.opener(options) });
  return made.ledger;
};

describe('the index of a channel', () => {
  it('names the assets that a transaction created', async () => {
    const ledger = await open();
    const assets = ['b-1', '', 'a-2'].map((id) => ({
      ID: id,
      color: 'blue',
      size: '5',
      owner: 'Ana',
      appraisedValue: '1',
    }));
    const { blockNumber } = await ledger.submit({ function: 'CreateAssets', arguments: [JSON.stringify(assets)] });
    await ledger.submit({ function: 'CreateAssets', arguments: [JSON.stringify(assets)] });
    await indexed(ledger);
    const { items } = await ledger.lists.transactions({ limit: 3 });
    // The second call created none.
    const created = { count: 2, first: 'b-1', last: 'a-2' };
    expect(items.map((item) => item.createdAssets)).toEqual([undefined, created, undefined]);
    const { items: blocks } = await ledger.lists.blocks({ limit: 1, before: blockNumber + 1 });
    expect(blocks[0]?.transactions).toMatchObject([{ createdAssets: created }]);
  });

  it('answers everything that the store of the embedded ledger does', async () => {
    const ledger = await open();
    const { transactionId, blockNumber } = await create(ledger, 'Car-1');
    await create(ledger, 'car-2');
    await ledger.submit({ function: 'DeleteAsset', arguments: ['car-2'] });
    await indexed(ledger);
    const totals = await ledger.lists.totals!();
    expect(totals).toMatchObject({ assets: 1, transactions: 4 });
    expect(totals.hours.reduce((sum, { transactions }) => sum + transactions, 0)).toBe(4);
    const found = async (text: string) => await ledger.lists.search({ text, limit: 10 });
    expect(await found('car')).toEqual([{ kind: 'asset', value: 'Car-1' }]);
    expect(await found('Tomo')).toEqual([{ kind: 'owner', value: 'Tomoko' }]);
    expect(await found('Create')).toEqual([{ kind: 'function', value: 'CreateAsset' }]);
    expect(await found(transactionId.slice(0, 20))).toEqual([{ kind: 'transaction', value: transactionId }]);
    const { hash } = (await ledger.blockByNumber(blockNumber))!;
    expect(await found(hash.slice(0, 20))).toEqual([{ kind: 'block', value: String(blockNumber), hash }]);
    const [{ creatorId: creator } = { creatorId: '' }] = (await ledger.lists.transactions({ limit: 1 })).items;
    expect(await found(creator.slice(0, 3))).toContainEqual({ kind: 'caller', value: creator });
    const calls = await ledger.lists.transactions({ limit: 2, creator, function: 'CreateAsset' });
    expect(calls.items.map(({ firstArgument }) => firstArgument)).toEqual(['car-2', 'Car-1']);
    expect(calls.next).toBeUndefined();
    expect(ledger.indexState?.()).toEqual({ status: 'ready', blocks: 4, progress: 1 });
  });

  it('contains what another replica has just written, and its own write', async () => {
    const ledger = await open();
    await indexed(ledger);
    const own = await create(ledger, 'own');
    expect(await newest(ledger)).toBe(own.transactionId);
    const other = new IndexDirectory();
    directory = Object.assign(directory, { path: other.path });
    const replica = await made.replicate();
    await indexed(replica);
    const { transactionId } = await create(ledger, 'another');
    expect(await newest(replica)).toBe(transactionId);
  });

  it('is written by one process, read by another, which writes it when the first one has ended', async () => {
    const ledger = await open();
    await indexed(ledger);
    const reader = await made.replicate();
    await until(() => hasStatus(reader, 'reading'));
    const { transactionId } = await create(ledger, 'read by both');
    expect(await newest(reader)).toBe(transactionId);
    expect(logged).toContain('another process writes the index of the channel');
    await ledger.close();
    await indexed(reader);
  });

  it.each<readonly [string, (path: string) => void]>([
    [
      'damaged',
      (path) => {
        writeFileSync(path, 'x'.repeat(9000));
      },
    ],
    [
      'foreign',
      (path) => {
        rmSync(path);
        new DatabaseSync(path).exec('CREATE TABLE t (a)');
      },
    ],
    [
      'half-built',
      (path) => {
        new DatabaseSync(path).exec('DELETE FROM blocks WHERE number = 1');
      },
    ],
  ])('is built again when its file is %s', async (_, change) => {
    const ledger = await open();
    await create(ledger, 'a');
    await indexed(ledger);
    await ledger.close();
    change(directory.file());
    logged = [];
    const reopened = await made.reopen();
    await indexed(reopened);
    expect(logged.filter((message) => message === BUILT_AGAIN)).toHaveLength(1);
    expect((await reopened.lists.totals!()).assets).toBe(1);
  });

  it('is built again while it is used, when its file turns out to be damaged', async () => {
    const ledger = await open({ scans: 'of the channel', logger });
    await create(ledger, 'a');
    await indexed(ledger);
    const { transactionId } = await create(ledger, 'b');
    await indexed(ledger);
    // Another commit, so that SQLite does not answer from memory; then every page but the first one is overwritten.
    const committing = new DatabaseSync(directory.file());
    committing.exec('UPDATE hours SET transactions = transactions; PRAGMA wal_checkpoint(TRUNCATE)');
    committing.close();
    const file = openSync(directory.file(), 'r+');
    const { size } = statSync(directory.file());
    writeSync(file, Buffer.alloc(size - 4096, 0xaa), 0, size - 4096, 4096);
    closeSync(file);
    expect(await newest(ledger)).toBe(transactionId);
    await until(() => hasStatus(ledger, 'ready'));
    expect(await newest(ledger)).toBe(transactionId);
    expect((await ledger.lists.totals!()).assets).toBe(2);
  });

  it('is built again of another chain', async () => {
    const first = await open();
    await create(first, 'a');
    await create(first, 'b');
    await indexed(first);
    await made.dispose();
    logged = [];
    const second = await open();
    const { transactionId } = await create(second, 'c');
    await create(second, 'd');
    await create(second, 'e');
    await indexed(second);
    expect(logged).toContain(BUILT_AGAIN);
    expect((await second.lists.search({ text: transactionId, limit: 5 })).map(({ value }) => value)).toEqual([
      transactionId,
    ]);
    expect((await second.lists.totals!()).assets).toBe(3);
  });

  (smallDiskWorks() ? it : it.skip)(
    'stops on a full disk, and nothing else does; it continues when there is space',
    async () => {
      const unmount = mountSmallDisk(directory.path, '2m');
      try {
        const ledger = await open({ scans: 'of the channel', logger });
        await create(ledger, 'before');
        await indexed(ledger);
        const filling = directory.file('filling');
        expect(() => {
          writeFileSync(filling, Buffer.alloc(4_000_000));
        }).toThrow('ENOSPC');
        for (let n = 0; !hasStatus(ledger, 'stopped'); n++) {
          const { transactionId } = await create(ledger, `meanwhile-${n}-${'x'.repeat(200)}`);
          expect(await newest(ledger)).toBe(transactionId);
        }
        expect(ledger.indexState?.()).toMatchObject({
          status: 'stopped',
          reason: expect.stringMatching(/full|I\/O/) as unknown,
        });
        await expect(ledger.lists.totals!()).rejects.toMatchObject({ code: 'LEDGER.NOT_SUPPORTED' });
        rmSync(filling);
        const { transactionId } = await create(ledger, 'after');
        await until(() => hasStatus(ledger, 'ready'));
        expect(await newest(ledger)).toBe(transactionId);
        expect((await ledger.lists.assetHistory('before', { limit: 5 })).items).toHaveLength(1);
        await ledger.close();
      } finally {
        unmount();
      }
    },
  );

  it('begins at the first block of a peer that was started from a snapshot', async () => {
    const plain = await gatewayOnStandIn({ signAs: 'service' });
    made = plain;
    const { ledger } = plain;
    const lost = await create(ledger, 'in the snapshot');
    for (let n = 0; n < 6; n++) await create(ledger, `asset-${n}`);
    const first = lost.blockNumber + 2;
    const pruned = () =>
      Promise.reject(new LedgerError('LEDGER.MISCONFIGURED', 'The peer was started from a snapshot.'));
    const source = {
      channel: ledger.channel,
      chainInfo: () => ledger.chainInfo(),
      blockByNumber: (number: number) => (number < first ? pruned() : ledger.blockByNumber(number)),
      blockEvents: (options: Parameters<Ledger['blockEvents']>[0]) => {
        if (options.startBlock < first) throw new Error('NOT_FOUND');
        return ledger.blockEvents(options);
      },
      authorize: (caller: string) => ledger.authorize(caller),
    } as unknown as LedgerChannel;
    const index = directory.opener({ scans: 'of the channel' })(source, ledger.lists, 'basic');
    await until(() => index.state().status === 'ready');
    const { items } = await index.transactions({ limit: 100 });
    expect(items.at(-1)?.blockNumber).toBe(first);
    expect((await index.blocks({ limit: 100 })).items.map(({ number }) => number).at(-1)).toBe(first);
    await expect(index.totals()).rejects.toMatchObject({ code: 'LEDGER.NOT_SUPPORTED' });
    // The chaincode knows the change that the index lacks.
    expect((await index.assetHistory('in the snapshot', { limit: 5 })).items).toHaveLength(1);
    expect(await index.assetAt('in the snapshot', first)).toContain('Tomoko');
    await index.close();
  });

  it('asks the network about a caller before it answers', async () => {
    const ledger = await open();
    await create(ledger, 'a');
    await indexed(ledger);
    const refused = new LedgerError('LEDGER.CALLER_REFUSED', 'The certificate was revoked.');
    const source = {
      channel: 'mychannel',
      chainInfo: () => ledger.chainInfo(),
      authorize: () => Promise.reject(refused),
    };
    const other = new IndexDirectory();
    const index = other.opener()(source as unknown as LedgerChannel, ledger.lists, 'basic');
    for (const answer of [
      index.search({ text: 'a', limit: 1 }, { caller: 'ana' }),
      index.assetHistory('a', { limit: 1 }, { caller: 'ana' }),
      index.assetAt('a', 1, { caller: 'ana' }),
    ]) {
      await expect(answer).rejects.toBe(refused);
    }
    await index.close();
    other.remove();
  });
});

describe('the directory of the indexes', () => {
  it('must be one that can be written', async () => {
    await open();
    writeFileSync(directory.file('file'), '');
    expect(() => indexOpener({ directory: directory.file('file') })).toThrow(
      expect.objectContaining({ code: 'LEDGER.MISCONFIGURED' }),
    );
  });
});
