import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BlockWriter } from './block-writer.js';
import { openForReading } from './open-store.js';
import { createTables } from './schema.js';
import { StoreReader } from './store-reader.js';

describe('the dictionaries of a BlockWriter', () => {
  const always = randomBytes(300);
  const callers = Array.from({ length: 30 }, () => randomBytes(200));
  let db: DatabaseSync;
  let height: number;
  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    createTables(db);
    height = 0;
  });
  afterEach(() => {
    db.close();
  });

  /** Writes a block of these callers, and returns the dictionary that it is compressed with. */
  function write(
    writer: BlockWriter,
    creators: readonly Uint8Array[],
  ): { readonly id: number; readonly content: Buffer } {
    writer.write(height, randomBytes(32), randomBytes(10), creators);
    const used = 'SELECT id, content FROM dictionaries, blocks WHERE id = dictionary AND number = ?';
    const { id, content } = db.prepare(used).get(height++) as { id: number; content: Uint8Array };
    return { id, content: Buffer.from(content) };
  }

  it('are the same for every block while only the service signs', () => {
    const writer = new BlockWriter(db, always);
    expect(write(writer, [])).toEqual({ id: 1, content: always });
    expect(write(new BlockWriter(db, always), []).id).toBe(1);
    expect(write(new BlockWriter(db, randomBytes(300)), []).id).toBe(2);
  });

  it('adopt callers, and have them again at the next start', () => {
    const writer = new BlockWriter(db, always);
    const newest = { id: 2, content: Buffer.concat([always, ...callers.slice(0, 2)]) };
    expect(write(writer, callers.slice(0, 2))).toEqual(newest);
    expect(write(writer, callers.slice(1, 2))).toEqual(newest);
    expect(write(new BlockWriter(db, always), callers.slice(0, 2))).toEqual(newest);
  });

  it('contain the last 20 signers, and are re-created at most every 64 blocks', () => {
    const writer = new BlockWriter(db, always);
    height = 1;
    let newest = write(writer, [callers[1]!]);
    for (let number = 2; number <= 128; number++) newest = write(writer, [callers[number % 30]!]);
    // The 1st block creates it with its caller, and the 65th with those of 46 to 65.
    expect(newest.id).toBe(3);
    expect(callers.filter((caller) => newest.content.includes(caller))).toHaveLength(20);
    expect(newest.content.includes(callers[65 % 30]!)).toBe(true);
    expect(newest.content.includes(callers[45 % 30]!)).toBe(false);
  });

  it('let blocks be read back whichever dictionary they were packed with', () => {
    const writer = new BlockWriter(db, always);
    const blocks = Array.from({ length: 70 }, (_, number) =>
      Buffer.concat([callers[number % 2]!, always, randomBytes(50)]),
    );
    blocks.forEach((bytes, number) => {
      writer.write(number, randomBytes(32), bytes, number === 0 ? [] : [callers[number % 2]!]);
    });
    const reader = new StoreReader(db);
    expect(blocks.every((bytes, number) => bytes.equals(reader.block(number)!.bytes))).toBe(true);
    const { packed } = db.prepare('SELECT length(packed) AS packed FROM blocks WHERE number = 69').get() as {
      packed: number;
    };
    // What is not in the dictionary is what no dictionary could hold.
    expect(packed).toBeLessThan(100);
  });
});

describe('a BlockWriter', () => {
  it('cannot have a connection that only reads, by its type and at run time', () => {
    const directory = mkdtempSync(join(tmpdir(), 'block-writer-'));
    const path = join(directory, 'ledger.db');
    const whole = new DatabaseSync(path);
    createTables(whole);
    whole.close();
    const reading = openForReading(path);
    try {
      // @ts-expect-error What writes needs the whole connection.
      expect(() => new BlockWriter(reading, randomBytes(9))).toThrow('attempt to write a readonly database');
    } finally {
      reading.close();
      rmSync(directory, { recursive: true });
    }
  });
});
