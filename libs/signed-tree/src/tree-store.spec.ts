import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { leafHash, rootOf } from '#tlog';
import { mountSmallDisk, smallDiskWorks } from '../../../test/support/small-disk.js';
import { TreeStore } from './tree-store.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tree-store-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const entriesOf = (count: number) => Array.from({ length: count }, (_, index) => Buffer.from(`entry ${index}`));
const rootOfEntries = (entries: readonly Buffer[]) => new Uint8Array(rootOf(entries.map((entry) => leafHash(entry))));

describe('the store of a tree', () => {
  it('has tiles and bundles of each width up to its size, and no others', () => {
    const store = new TreeStore(join(directory, 'tree.db'));
    const entries = entriesOf(300);
    store.append(entries.slice(0, 100));
    store.append(entries.slice(100));
    const level0 = entries.map((entry) => leafHash(entry));
    expect(store.read({ level: 0, index: 1, width: 44 })).toEqual(new Uint8Array(Buffer.concat(level0.slice(256))));
    expect(store.read({ level: 0, index: 0, width: 100 })).toEqual(new Uint8Array(Buffer.concat(level0.slice(0, 100))));
    expect(store.read({ level: 1, index: 0, width: 1 })).toEqual(new Uint8Array(rootOf(level0.slice(0, 256))));
    expect(store.read({ level: 'entries', index: 0, width: 2 })?.length).toBe(2 * (2 + 7));
    expect(store.read({ level: 0, index: 1, width: 45 })).toBeUndefined();
    expect(store.read({ level: 1, index: 0, width: 2 })).toBeUndefined();
    expect(store.read({ level: 2, index: 0, width: 1 })).toBeUndefined();
    expect(store.read({ level: 'entries', index: 2, width: 1 })).toBeUndefined();
    expect(store.entry(300)).toBeUndefined();
    store.close();
  });

  it('replaces a damaged file, and names one that it cannot replace', () => {
    const path = join(directory, 'tree.db');
    writeFileSync(path, 'garbage '.repeat(1000));
    const store = new TreeStore(path);
    expect(store.size).toBe(0);
    store.close();
    rmSync(path);
    mkdirSync(path);
    expect(() => new TreeStore(path)).toThrow(`${path} cannot be replaced (EISDIR): move it away.`);
  });

  (smallDiskWorks() ? it : it.skip)('has after a failed append what it had before, and then continues', () => {
    const disk = join(directory, 'disk');
    mkdirSync(disk);
    const unmount = mountSmallDisk(disk, '1m');
    try {
      const entries = entriesOf(500);
      const store = new TreeStore(join(disk, 'tree.db'));
      store.append(entries.slice(0, 20));
      const filling = join(disk, 'filling');
      expect(() => {
        writeFileSync(filling, Buffer.alloc(2_000_000));
      }).toThrow('ENOSPC');
      expect(() => {
        store.append(entries.slice(20));
      }).toThrow();
      expect([store.size, store.root()]).toEqual([20, rootOfEntries(entries.slice(0, 20))]);
      expect(store.entry(20)).toBeUndefined();
      rmSync(filling);
      store.append(entries.slice(20));
      expect([store.size, store.root()]).toEqual([500, rootOfEntries(entries)]);
      store.close();
    } finally {
      unmount();
    }
  });

  it.each(['DELETE FROM entries WHERE number = 7', 'DELETE FROM entries WHERE number < 3', 'DELETE FROM tiles'])(
    'is empty when it is opened with holes: %s',
    (change) => {
      const path = join(directory, 'tree.db');
      const store = new TreeStore(path);
      store.append(entriesOf(20));
      store.close();
      const db = new DatabaseSync(path);
      db.exec(change);
      db.close();
      const reopened = new TreeStore(path);
      expect([reopened.size, reopened.entry(0)]).toEqual([0, undefined]);
      reopened.close();
    },
  );
});
