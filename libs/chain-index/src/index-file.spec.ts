import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gatewayOnStandIn, type LedgerOnStandIn } from '#fabric-ledger/testing';
import { ChainFollower } from './chain-follower.js';
import { IndexFile, UnusableIndex } from './index-file.js';

const FROM_SOURCE = new URL('../../threads/src/run-from-source.mjs', import.meta.url).href;
const APPEND = fileURLToPath(new URL('./testing/append-blocks.ts', import.meta.url));

let directory: string;
let made: LedgerOnStandIn;
let blocks: readonly Uint8Array[];
const at = (name: string) => join(directory, name);
const rowsOf = (path: string) => {
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = [
    'progress',
    'blocks',
    'transactions',
    'keys',
    'writes',
    'namespaces',
    'hours',
    'callers',
    'functions',
  ];
  const rows = tables.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all());
  db.close();
  return rows;
};
/** Builds the index of the first blocks in one commit. */
const built = (name: string, count = blocks.length): string => {
  const file = new IndexFile(at(name), 'mychannel');
  expect(file.append(blocks.slice(0, count))).toBe(true);
  file.close();
  return at(name);
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'index-file-'));
  made = await gatewayOnStandIn({ signAs: 'service' });
  const { ledger } = made;
  for (let n = 0; n < 12; n++) {
    const id = `asset-${n % 5}`;
    await ledger
      .submit({ function: 'CreateAsset', arguments: [id, 'blue', '5', `owner ${n}`, '300'] })
      .catch(() => undefined);
    await ledger.submit({ function: 'TransferAsset', arguments: [id, `owner ${n}`] });
    if (n % 4 === 3) await ledger.submit({ function: 'DeleteAsset', arguments: [id] });
  }
  blocks = made.network.chain.blocks;
  mkdirSync(at('blocks'));
  for (const [number, bytes] of blocks.entries()) {
    writeFileSync(at(`blocks/${String(number).padStart(4, '0')}`), bytes);
  }
});

afterAll(async () => {
  await made.dispose();
  rmSync(directory, { recursive: true });
});

describe('the file of an index', () => {
  it('is accessible by its owner only, and the same however its blocks are split into commits', () => {
    const once = built('once.db');
    expect(statSync(once).mode & 0o777).toBe(0o600);
    const file = new IndexFile(at('split.db'), 'mychannel');
    for (const block of blocks) expect(file.append([block])).toBe(true);
    expect(file.next).toBe(blocks.length);
    file.close();
    expect(rowsOf(at('split.db'))).toEqual(rowsOf(once));
  });

  it('is consistent and never ahead of the chain after each kill -9, and complete at the end', async () => {
    const path = at('killed.db');
    for (let kills = 0; kills < 10; kills++) {
      const args = ['--disable-warning=ExperimentalWarning', '--import', FROM_SOURCE, APPEND];
      const env = { INDEX_FILE: path, BLOCK_FILES: at('blocks') };
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
      const exited = once(child, 'exit');
      let reported = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        reported = Number(line);
        child.kill('SIGKILL');
      }
      await exited;
      const file = new IndexFile(path, 'mychannel');
      expect(file.next ?? 0).toBeGreaterThanOrEqual(reported);
      expect(file.next ?? 0).toBeLessThanOrEqual(blocks.length);
      file.close();
    }
    const file = new IndexFile(path, 'mychannel');
    if (file.next !== blocks.length) expect(file.append(blocks.slice(file.next ?? 0))).toBe(true);
    file.close();
    expect(rowsOf(path)).toEqual(rowsOf(built('whole.db')));
  });

  it('writes nothing of blocks that do not continue it, or of which one cannot be decoded', () => {
    const path = built('partial.db', 3);
    const before = rowsOf(path);
    const file = new IndexFile(path, 'mychannel');
    expect(file.append([blocks[3]!, blocks[5]!])).toBe(false);
    expect(file.append([blocks[2]!])).toBe(false);
    expect(() => file.append([blocks[3]!, Buffer.from('no block')])).toThrow();
    expect(file.next).toBe(3);
    file.close();
    expect(rowsOf(path)).toEqual(before);
  });

  it.each<readonly [string, (path: string) => void, boolean]>([
    [
      'text',
      (path) => {
        writeFileSync(path, 'x'.repeat(5000));
      },
      true,
    ],
    [
      'the database of another program',
      (path) => {
        rmSync(path);
        new DatabaseSync(path).exec('CREATE TABLE t (a)');
      },
      true,
    ],
    [
      'of another version',
      (path) => {
        new DatabaseSync(path).exec('PRAGMA user_version = 99');
      },
      false,
    ],
    [
      'without its newest transaction',
      (path) => {
        new DatabaseSync(path).exec('DELETE FROM transactions WHERE number = 3');
      },
      false,
    ],
    [
      'without a block',
      (path) => {
        new DatabaseSync(path).exec('DELETE FROM blocks WHERE number = 1');
      },
      false,
    ],
    [
      'cut off',
      (path) => {
        writeFileSync(path, readFileSync(path).subarray(0, 6000));
      },
      true,
    ],
  ])('is refused when it is %s', (name, change, isForeign) => {
    const path = built(`${name}.db`, 3);
    change(path);
    let error: unknown;
    try {
      new IndexFile(path, 'mychannel').close();
    } catch (reason) {
      error = reason;
    }
    expect(error).toBeInstanceOf(UnusableIndex);
    expect(error).toMatchObject({ isForeign });
  });

  it('is refused when it is of another channel', () => {
    expect(() => new IndexFile(built('channel.db'), 'payments')).toThrow('it is of the channel mychannel');
  });
});

describe('a follower of a chain', () => {
  const chain = (available: () => readonly Uint8Array[]) => ({
    chainInfo: () =>
      Promise.resolve({
        channel: 'mychannel',
        height: available().length,
        currentBlockHash: '',
        previousBlockHash: '',
      }),
    blockByNumber: (number: number) =>
      number < available().length ? made.ledger.blockByNumber(number) : Promise.resolve(undefined),
    firstBlock: () => Promise.resolve(0),
    items: async function* (startBlock: number, signal: AbortSignal) {
      yield available().slice(startBlock);
      await once(signal, 'abort').catch(() => undefined);
    },
  });

  it('builds its data again when the chain is shorter, after a time', async () => {
    const path = built('shorter.db');
    const rebuilds: string[] = [];
    const follower = new ChainFollower({
      chain: chain(() => blocks.slice(0, 4)),
      open: () => new IndexFile(path, 'mychannel'),
      intervalMs: 0,
      batchBytes: 1_000_000,
      shorterMs: 0,
      onRebuild: (reason) => rebuilds.push(reason),
    });
    expect(await follower.reach(4, AbortSignal.timeout(60_000))).toBe(true);
    expect(follower.data?.next).toBe(4);
    expect(rebuilds).toEqual(['the chain has 4 blocks only']);
    await follower.close();
    expect(rowsOf(path)).toEqual(rowsOf(built('four.db', 4)));
  });

  it('waits for a chain that is shorter for a moment only, and continues', async () => {
    const path = built('lagging.db', 5);
    let height = 4;
    const rebuilds: string[] = [];
    const follower = new ChainFollower({
      chain: chain(() => blocks.slice(0, height)),
      open: () => new IndexFile(path, 'mychannel'),
      intervalMs: 0,
      batchBytes: 1_000_000,
      shorterMs: 60_000,
      onRebuild: (reason) => rebuilds.push(reason),
      onChange: () => {
        height = 8;
      },
    });
    expect(await follower.reach(8, AbortSignal.timeout(60_000))).toBe(true);
    expect(rebuilds).toEqual([]);
    await follower.close();
    expect(rowsOf(path)).toEqual(rowsOf(built('eight.db', 8)));
  });

  it('opens its data again after an error, and continues at the cursor of the file', async () => {
    const path = at('errors.db');
    const errors: Error[] = [];
    let opened = 0;
    const follower = new ChainFollower({
      chain: chain(() => blocks),
      open: () => {
        const file = new IndexFile(path, 'mychannel');
        // The first object fails after its first commit.
        if (opened++ === 0) {
          const append = file.append.bind(file);
          file.append = (items) => {
            append(items.slice(0, 2));
            throw new Error('a fault after a commit');
          };
        }
        return file;
      },
      intervalMs: 0,
      batchBytes: 1_000_000,
      shorterMs: 60_000,
      onError: (error) => errors.push(error),
    });
    while (!(await follower.reach(blocks.length, AbortSignal.timeout(60_000)))) await new Promise(setImmediate);
    await follower.close();
    expect(errors.map(({ message }) => message)).toEqual(['a fault after a commit']);
    expect(opened).toBe(2);
    expect(rowsOf(path)).toEqual(rowsOf(built('without-errors.db')));
  });
});
