import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createEmbeddedLedger } from '#embedded-ledger';
import { decodeBlock } from '#fabric-codec';
import { treeEntry } from '#fabric-codec/encode';
import { treeConfig } from '#ledger-config';
import type { Ledger } from '#ledger-gateway';
import { generateKey, leafHash, parseCheckpoint, rootOf, SignatureType, verifierKeyText } from '#tlog';
import { mountSmallDisk, smallDiskWorks } from '../../../test/support/small-disk.js';
import { ChannelTree, type TreeSource } from './channel-tree.js';
import { importTree } from './import-tree.js';
import { TreeState } from './tree-state.js';

const CHANNEL = 'mychannel';
const ORIGIN = `ledger.example.org/${CHANNEL}/lisbon`;
const logger = pino({ level: 'silent' });

let dataDir: string;
let ledger: Ledger;
let tree: ChannelTree;
let count = 0;

const config = () =>
  treeConfig({ LEDGER_DATA_DIR: dataDir, LEDGER_TREE: 'on', LEDGER_TREE_ORIGIN: 'ledger.example.org/lisbon' });
const fileOf = (name: string) => join(dataDir, 'tree', CHANNEL, name);
const openLedger = () =>
  createEmbeddedLedger({ dataDir, channel: CHANNEL, chaincode: 'basic', mspId: 'Org1MSP', hasTree: true });
const open = (source: TreeSource = ledger as Ledger & TreeSource, hasWitnesses = true) =>
  (tree = new ChannelTree(source, TreeState.open(CHANNEL, config()), logger, hasWitnesses));
const write = (id = `asset-${++count}`) =>
  ledger.submit({ function: 'CreateAsset', arguments: [id, 'blue', '5', 'Tomoko', '300'] });
const signed = (size: number) => tree.requestCheckpoint(size, AbortSignal.timeout(20_000));
const changed = () =>
  new Promise<void>((resolve) => {
    tree.onChange(resolve);
  });
async function waitFor(status: string): Promise<void> {
  while (tree.status().status !== status) await changed();
}

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tree-'));
  ledger = await openLedger();
  open();
});

afterEach(async () => {
  await tree.close();
  await ledger.close();
  rmSync(dataDir, { recursive: true });
});

async function reopen(change: () => void): Promise<void> {
  await tree.close();
  change();
  open();
}

describe('the tree of a channel', () => {
  it('is signed with every block, under the name of the replica', async () => {
    await write();
    await write();
    const checkpoint = await signed(3);
    expect(parseCheckpoint(checkpoint.text)).toMatchObject({ origin: ORIGIN, size: 3 });
    const leaves = [0, 1, 2].map((block) => leafHash(tree.entry(block)!));
    expect(Buffer.from(checkpoint.root)).toEqual(rootOf(leaves));
    expect(readFileSync(fileOf('state.json'), 'utf8')).toContain(JSON.stringify(checkpoint.text));
    expect(tree.status()).toEqual({ status: 'signing', size: 3 });
  });

  it('continues after a restart, from its files and from the blocks alone', async () => {
    await write();
    const before = await signed(2);
    await reopen(() => undefined);
    expect(tree.checkpoint()).toEqual(before);
    await write();
    const { root } = await signed(3);
    await reopen(() => {
      rmSync(fileOf('tree.db'));
    });
    await write();
    await signed(4);
    expect(Buffer.from(root)).toEqual(rootOf([0, 1, 2].map((block) => leafHash(tree.entry(block)!))));
  });

  it('is built again when its file is damaged', async () => {
    await write();
    await signed(2);
    await reopen(() => {
      writeFileSync(fileOf('tree.db'), 'no database');
    });
    await write();
    expect((await signed(3)).size).toBe(3);
  });

  it('signs nothing more when the chain is not the one that was signed', async () => {
    await write();
    const { size } = await signed(2);
    await tree.close();
    await ledger.close();
    rmSync(join(dataDir, 'channels'), { recursive: true });
    rmSync(join(dataDir, 'identities'), { recursive: true });
    rmSync(join(dataDir, 'ledger.json'));
    ledger = await openLedger();
    open();
    await waitFor('building');
    expect(tree.status().reason).toBe('The chain has 1 blocks, and 2 were signed: it may be a restored backup.');
    expect(() => tree.consistencyProof(1, size)).toThrow('restored backup');
    await write();
    await waitFor('forked');
    expect(tree.checkpoint()?.size).toBe(size);
    expect(() => tree.inclusionProof(1, size)).toThrow('not those that were signed');
    await reopen(() => undefined);
    expect(tree.status().status).toBe('forked');
  });

  it('signs nothing more after a fork was reported, until its origin is renewed', async () => {
    await write();
    const { text } = await signed(2);
    tree.saveWitnessed(text);
    await tree.reportFork('A witness confirmed 9 blocks.');
    await tree.reportFork('Another reason.');
    await write();
    await expect(signed(3)).rejects.toMatchObject({ code: 'LEDGER.TREE_INCOMPLETE' });
    await reopen(() => undefined);
    expect(tree.status()).toMatchObject({ status: 'forked', reason: 'A witness confirmed 9 blocks.' });
    expect(tree.checkpoint()?.text).toBe(text);
    await reopen(() => {
      expect(TreeState.renew(CHANNEL, config()).name).toBe(`${ORIGIN}.2`);
    });
    expect(tree.witnessed()).toBeUndefined();
    expect(parseCheckpoint((await signed(3)).text).origin).toBe(`${ORIGIN}.2`);
    const [previous = ''] = readdirSync(fileOf('.')).filter((name) => name.startsWith('previous-'));
    expect(readFileSync(fileOf(previous), 'utf8')).toContain(ORIGIN);
  });

  (smallDiskWorks() ? it : it.skip)('has no holes after a full disk, on which it signs nothing', async () => {
    await tree.close();
    rmSync(fileOf('..'), { recursive: true });
    mkdirSync(join(dataDir, 'tree'));
    const unmount = mountSmallDisk(join(dataDir, 'tree'), '1m');
    try {
      open();
      for (let n = 0; n < 20; n++) await write();
      const { size } = await signed(21);
      const filling = join(dataDir, 'tree', 'filling');
      expect(() => {
        writeFileSync(filling, Buffer.alloc(2_000_000));
      }).toThrow('ENOSPC');
      for (let n = 0; n < 40; n++) await write();
      await waitFor('incomplete');
      expect(tree.checkpoint()?.size).toBe(size);
      await expect(signed(61)).rejects.toMatchObject({ code: 'LEDGER.TREE_INCOMPLETE' });
      rmSync(filling);
      for (let n = 0; n < 10; n++) await write();
      await waitFor('signing');
      await signed(71);
      await reopen(() => undefined);
      const { root } = await signed(71);
      const blocks = await Promise.all(Array.from({ length: 71 }, (_, number) => ledger.blockByNumber(number)));
      const entries = blocks.map((block) => treeEntry(decodeBlock(block!.bytes)));
      expect(entries.map((_, block) => Buffer.from(tree.entry(block) ?? []))).toEqual(entries);
      expect(Buffer.from(root)).toEqual(rootOf(entries.map((entry) => leafHash(entry))));
      await tree.close();
    } finally {
      unmount();
    }
  });

  it('is built again when a block does not continue it', async () => {
    await tree.close();
    rmSync(fileOf('tree.db'));
    const entryOf = async (number: number) => treeEntry(decodeBlock((await ledger.blockByNumber(number))!.bytes));
    await write();
    await write();
    let rounds = 0;
    open({
      channel: CHANNEL,
      chainInfo: () => ledger.chainInfo(),
      blockByNumber: (number) => ledger.blockByNumber(number),
      treeEntries: async function* (options) {
        // As from a peer that skips a block, or has another chain.
        if (rounds++ === 0) yield [await entryOf(0), await entryOf(2)];
        yield* ledger.treeEntries!(options);
      },
    });
    await signed(3);
    expect(rounds).toBe(2);
    expect(Buffer.from(tree.entry(1)!)).toEqual(await entryOf(1));
  });

  it('reports blocks that the peer does not have', async () => {
    await tree.close();
    rmSync(fileOf('tree.db'));
    const lacks = () => Promise.reject(new Error('The peer was started from a snapshot.'));
    open({
      channel: CHANNEL,
      chainInfo: () => ledger.chainInfo(),
      blockByNumber: lacks,
      treeEntries: (options) => ledger.treeEntries!(options),
    });
    await waitFor('incomplete');
    expect(tree.status().reason).toBe('The peer was started from a snapshot.');
    await expect(signed(2)).rejects.toMatchObject({ code: 'LEDGER.TREE_INCOMPLETE' });
  });

  it('keeps what witnesses confirmed', async () => {
    const { text } = await signed(1);
    tree.saveWitnessed(text);
    await reopen(() => undefined);
    expect(tree.witnessed()?.text).toBe(text);
    expect(readdirSync(fileOf('.'))).not.toContain('witnessed.new');
    await tree.close();
    open(undefined, false);
    expect(tree.witnessed()).toBeUndefined();
  });

  it('starts without what witnesses confirmed when that file was cut off', async () => {
    const { text } = await signed(1);
    await reopen(() => {
      writeFileSync(fileOf('witnessed'), text.slice(0, 20));
    });
    expect(tree.witnessed()).toBeUndefined();
    tree.saveWitnessed(text);
    expect(readFileSync(fileOf('witnessed'), 'utf8')).toBe(text);
  });

  it('uses what witnesses confirmed while it cannot be stored', async () => {
    const { text } = await signed(1);
    mkdirSync(fileOf('witnessed.new'));
    tree.saveWitnessed(text);
    tree.saveWitnessed(text);
    expect(tree.witnessed()?.text).toBe(text);
    await reopen(() => undefined);
    expect(tree.witnessed()).toBeUndefined();
  });
});

describe('a tree that is imported from a replica', () => {
  const other = () => ({ ...config(), directory: join(dataDir, 'other'), keyFile: join(dataDir, 'other/keys') });
  const fetchFrom = (path: string) =>
    Promise.resolve(path === 'checkpoint' ? Buffer.from(tree.checkpoint()!.text) : tree.tile(path)!);
  const importWith = (fetch = fetchFrom, log = tree.key) =>
    importTree({ channel: CHANNEL, config: other(), log, fetch });

  it('continues on a peer that lacks the first blocks, with the same roots', async () => {
    for (let n = 0; n < 3; n++) await write();
    await signed(4);
    expect(await importWith()).toBe(4);
    const replica = new ChannelTree(
      {
        channel: CHANNEL,
        chainInfo: () => ledger.chainInfo(),
        blockByNumber: (number) =>
          number < 3 ? Promise.reject(new Error('The peer lacks it.')) : ledger.blockByNumber(number),
        treeEntries: async function* ({ startBlock, signal }) {
          for await (const { bytes } of ledger.blockEvents({ startBlock, ...(signal && { signal }) }))
            yield [treeEntry(decodeBlock(bytes))];
        },
      },
      TreeState.open(CHANNEL, other()),
      logger,
      true,
    );
    await write();
    const [mine, its] = [await signed(5), await replica.requestCheckpoint(5, AbortSignal.timeout(20_000))];
    await replica.close();
    expect([its.size, Buffer.from(its.root)]).toEqual([mine.size, Buffer.from(mine.root)]);
  });

  it.each<readonly [string, (bundle: Uint8Array) => Uint8Array]>([
    ['an entry was changed', (bundle) => bundle.with(-1, (bundle.at(-1) ?? 0) ^ 1)],
    ['an entry names another block before', (bundle) => bundle.with(100, (bundle[100] ?? 0) ^ 1)],
    ['a bundle is cut', (bundle) => bundle.subarray(0, -1)],
  ])('is refused when %s', async (_, change) => {
    await write();
    await signed(2);
    const fetch = async (path: string) => {
      const bytes = await fetchFrom(path);
      return path === 'checkpoint' ? bytes : change(bytes);
    };
    await expect(importWith(fetch)).rejects.toMatchObject({ code: 'LEDGER.TREE_INCOMPLETE' });
  });

  it('is refused when it is signed by another key', async () => {
    await signed(1);
    const log = generateKey(ORIGIN, SignatureType.ED25519);
    await expect(importWith(fetchFrom, log)).rejects.toMatchObject({ code: 'LEDGER.TREE_INCOMPLETE' });
  });
});

describe('the state of a tree', () => {
  it('belongs to one process', () => {
    expect(() => TreeState.open(CHANNEL, config())).toThrow('Another process signs');
  });

  it.each([
    [
      'its state is missing',
      () => ({}),
      () => {
        rmSync(fileOf('state.json'));
      },
    ],
    [
      'its state is damaged',
      () => ({}),
      () => {
        writeFileSync(fileOf('state.json'), '{}');
      },
    ],
    [
      'its key is missing',
      () => ({}),
      () => {
        rmSync(join(dataDir, 'tree', 'keys'));
      },
    ],
    [
      'its key is damaged',
      () => ({}),
      () => {
        writeFileSync(join(dataDir, 'tree', 'keys'), 'key');
      },
    ],
    ['it has another origin', () => ({ origin: 'ledger.example.org/porto' }), () => undefined],
  ])('is not opened when %s', async (_, other, change) => {
    await signed(1);
    await tree.close();
    change();
    expect(() => TreeState.open(CHANNEL, { ...config(), ...other() })).toThrow(
      expect.objectContaining({ code: 'LEDGER.MISCONFIGURED' }),
    );
  });

  it('is renewed without the previous one, under a name that no key has', async () => {
    const previous = verifierKeyText(tree.key);
    await tree.close();
    rmSync(fileOf('state.json'));
    const key = TreeState.renew(CHANNEL, config());
    expect(key.name).toBe(`${ORIGIN}.2`);
    expect(verifierKeyText(key)).not.toBe(previous);
    expect(TreeState.renew(CHANNEL, config()).name).toBe(`${ORIGIN}.3`);
  });
});
