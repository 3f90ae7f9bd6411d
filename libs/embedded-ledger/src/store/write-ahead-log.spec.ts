import { copyFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { TemporaryDirectory } from '../testing/temporary-ledger.js';
import { openForWriting } from './open-store.js';
import { WriteAheadLog } from './write-ahead-log.js';

const LIMIT = 100;
const LONG = 2000;

describe('WriteAheadLog', () => {
  let directory: TemporaryDirectory;
  let path: string;
  let db: DatabaseSync;
  let log: WriteAheadLog;
  let failures: Error[];
  let long: boolean[];
  const options = (storePath: string) => ({
    storePath,
    onFailure: (error: Error) => failures.push(error),
    onLong: (isLong: boolean) => long.push(isLong),
  });
  beforeEach(() => {
    directory = new TemporaryDirectory();
    path = directory.file('ledger.db');
    db = openForWriting(path);
    db.exec('CREATE TABLE things (id INTEGER PRIMARY KEY, content BLOB)');
    failures = [];
    long = [];
    log = new WriteAheadLog(db, { ...options(path), limitPages: LIMIT, longPages: LONG });
  });
  afterEach(() => {
    if (db.isOpen) db.close();
    directory.remove();
  });

  const write = (kilobytes: number) => {
    db.prepare('INSERT INTO things (content) VALUES (?)').run(Buffer.alloc(kilobytes * 1024, 7));
  };
  const status = () => db.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number; checkpointed: number };
  const logBytes = () => statSync(`${path}-wal`).size;

  it('checkpoints a log above its limit only, never within a commit', () => {
    write(200);
    log.maintain();
    expect(status().checkpointed).toBe(0);
    write(400);
    expect(status().log).toBeGreaterThan(LIMIT);
    expect(status().checkpointed).toBe(0);
    log.maintain();
    expect(status().checkpointed).toBe(status().log);
    // The next write restarts the log.
    write(4);
    expect(status().log).toBeLessThan(LIMIT);
    expect(failures).toEqual([]);
  });

  it('checkpoints large commits together, instead of every one or two', () => {
    const checkpointed: number[] = [];
    for (let commit = 0; commit < 20; commit++) {
      write(600);
      log.maintain();
      if (status().checkpointed === status().log) checkpointed.push(commit);
    }
    expect(checkpointed).toEqual([0, 8, 16]);
  });

  it('reports a long log that a reader keeps from being copied, and when it is copied', () => {
    const reader = openForWriting(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM things').get();
    for (let commit = 0; commit < 15; commit++) {
      write(600);
      log.maintain();
    }
    expect(status().log).toBeGreaterThan(LONG);
    expect(long).toEqual([true]);
    reader.exec('COMMIT');
    write(4);
    log.maintain();
    expect(long).toEqual([true, false]);
    // The next write restarts the log, although a reader of the copied state is active.
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM things').get();
    write(4);
    expect(status().log).toBeLessThan(LIMIT);
    reader.close();
  });

  it('checkpoints later what a reader still uses', () => {
    const reader = openForWriting(path);
    write(200);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM things').get();
    write(400);
    log.maintain();
    expect(status().checkpointed).toBeLessThan(status().log);
    reader.close();
    log.maintain();
    expect(status().checkpointed).toBe(status().log);
    expect(failures).toEqual([]);
  });

  it('lengthens the log ahead of its frames, once for many, with bytes that no recovery reads as a frame', () => {
    write(4);
    expect(logBytes()).toBeLessThan(100 * 1024);
    log.maintain();
    const lengthened = logBytes();
    expect(lengthened).toBeGreaterThan(1024 * 1024);
    for (let n = 0; n < 30; n++) {
      write(4);
      log.maintain();
    }
    expect(logBytes()).toBe(lengthened);
    // As after a crash: the file and its log, without the index that SQLite keeps of it in memory.
    const copy = directory.file('copy.db');
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    const recovered = openForWriting(copy);
    expect(recovered.prepare('SELECT count(*) AS count FROM things').get()).toEqual({ count: 31 });
    expect(recovered.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    recovered.close();
  });

  describe('that an earlier process left', () => {
    const countIn = (file: string) => {
      const found = new DatabaseSync(file);
      const { count } = found.prepare('SELECT count(*) AS count FROM things').get() as { count: number };
      found.close();
      return count;
    };
    /** The store's file without its log. */
    const alone = () => {
      const copy = directory.file('alone.db');
      copyFileSync(path, copy);
      return countIn(copy);
    };
    let left: DatabaseSync;
    let taken: WriteAheadLog;
    beforeEach(() => {
      write(4);
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      write(8);
      write(8);
      // As a crash leaves it: both files, without the index that SQLite keeps of the log in memory.
      for (const suffix of ['', '-wal']) copyFileSync(path + suffix, directory.file(`left.db${suffix}`));
      path = directory.file('left.db');
      left = openForWriting(path);
      taken = new WriteAheadLog(left, options(path));
    });
    afterEach(() => {
      left.close();
    });

    it('is checkpointed into the store before anything else', () => {
      expect(alone()).toBe(1);
      taken.recover();
      expect(alone()).toBe(3);
      expect(failures).toEqual([]);
    });

    it('is checkpointed as soon as a reader releases it, however short it is', () => {
      const reader = holdOn(path);
      left.exec('INSERT INTO things (content) VALUES (1)');
      taken.recover();
      expect(alone()).toBe(1);
      left.exec('INSERT INTO things (content) VALUES (1)');
      reader.close();
      taken.maintain();
      expect(alone()).toBe(5);
      left.exec('INSERT INTO things (content) VALUES (1)');
      taken.maintain();
      expect(alone()).toBe(5);
    });
  });

  it('reports a failure once, with its cause', () => {
    db.close();
    log.maintain();
    log.maintain();
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toMatch(/The checkpoint of .*ledger\.db-wal failed \(.*Nothing is lost/);
  });
});

/** A reader that holds on to the moment at which it was made. */
function holdOn(path: string): DatabaseSync {
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM things').get();
  return reader;
}
