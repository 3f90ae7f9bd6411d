import { describe, expect, it } from '@jest/globals';
import { collectGarbage, collectYoungGarbage, IdleCollection } from './idle-collection.js';

const QUIET = 0.02;

/** A collection whose connections are set by the test. */
function watched(canCollect = true) {
  const stats = { activeConnections: 300, connectionChanges: 0 };
  const seen = { collections: 0, lines: [] as object[] };
  const logger = { debug: (fields: object) => seen.lines.push(fields) };
  const collection = new IdleCollection(stats, logger, () => {
    seen.collections += 1;
    return canCollect;
  });
  /** Opens or closes connections, and looks in the same second. */
  const change = (connections: number, now: number): void => {
    stats.connectionChanges += connections;
    collection.look(now, QUIET);
  };
  return { stats, seen, collection, change };
}

describe('IdleCollection', () => {
  it('collects once when a burst of connections is over, and logs it', () => {
    const { seen, collection, change } = watched();
    change(150, 1000);
    change(100, 2000);
    expect(seen.collections).toBe(0);
    change(25, 3000);
    expect(seen.collections).toBe(1);
    expect(seen.lines.map(Object.keys)).toEqual([['ms', 'rssBefore', 'rssAfter']]);
    collection.look(60_000, QUIET);
    expect(seen.collections).toBe(1);
  });

  it('waits for twenty quiet seconds if few connections are open', () => {
    const { stats, seen, collection, change } = watched();
    stats.activeConnections = 249;
    change(1000, 1000);
    collection.look(2000, QUIET);
    collection.look(21_999, QUIET);
    expect(seen.collections).toBe(0);
    collection.look(22_000, QUIET);
    expect(seen.collections).toBe(1);
  });

  it('counts the quiet seconds again after a request', () => {
    const { stats, seen, collection, change } = watched();
    stats.activeConnections = 0;
    change(1000, 1000);
    collection.look(2000, QUIET);
    collection.look(21_000, 0.2);
    collection.look(22_000, QUIET);
    collection.look(41_999, QUIET);
    expect(seen.collections).toBe(0);
    collection.look(42_000, QUIET);
    expect(seen.collections).toBe(1);
  });

  it('waits until the event loop is idle', () => {
    const { seen, collection, change } = watched();
    change(250, 1000);
    collection.look(2000, 0.5);
    expect(seen.collections).toBe(0);
    collection.look(3000, QUIET);
    expect(seen.collections).toBe(1);
  });

  it('collects nothing for a few connections', () => {
    const { seen, collection, change } = watched();
    change(249, 1000);
    collection.look(100_000, QUIET);
    expect(seen.collections).toBe(0);
  });

  it('waits for more changes while many connections are open, since each makes the pause longer', () => {
    const { stats, seen, collection, change } = watched();
    stats.activeConnections = 10_000;
    change(4999, 1000);
    collection.look(2000, QUIET);
    expect(seen.collections).toBe(0);
    change(1, 3000);
    expect(seen.collections).toBe(1);
  });

  it('collects again when the connections were closed, but only two minutes later', () => {
    const { seen, collection, change } = watched();
    change(1000, 1000);
    collection.look(2000, QUIET);
    change(1000, 3000);
    collection.look(121_999, QUIET);
    expect(seen.collections).toBe(1);
    collection.look(122_000, QUIET);
    expect(seen.collections).toBe(2);
  });

  it('logs nothing where V8 has no function to collect garbage', () => {
    const { seen, collection, change } = watched(false);
    change(1000, 1000);
    collection.look(2000, QUIET);
    expect(seen).toEqual({ collections: 1, lines: [] });
  });
});

describe('collectYoungGarbage', () => {
  it('frees objects that were created before it', () => {
    collectYoungGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 8; count += 1) Buffer.alloc(500_000, 'x').toString('latin1');
    const created = process.memoryUsage().heapUsed - before;
    collectYoungGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(created / 2);
  });
});

describe('collectGarbage', () => {
  it('collects what is not referenced', async () => {
    const garbage = new WeakRef({});
    // A WeakRef retains its target until the present turn of the event loop ends.
    await new Promise(setImmediate);
    expect(collectGarbage()).toBe(true);
    expect(garbage.deref()).toBeUndefined();
  });

  it('does nothing where V8 has no function for it', () => {
    expect(collectGarbage(() => undefined)).toBe(false);
  });
});
