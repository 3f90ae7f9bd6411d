import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { BlockWriter, NewestDictionary, type Dictionary } from './block-writer.js';
import { createTables } from './schema.js';
import { StoreReader } from './store-reader.js';

describe('NewestDictionary', () => {
  const always = randomBytes(300);
  const callers = Array.from({ length: 30 }, () => randomBytes(200));
  let db: DatabaseSync;
  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    createTables(db);
  });
  afterEach(() => {
    db.close();
  });
  const holds = ({ content }: Dictionary) => callers.filter((caller) => content.includes(caller));

  it('is the content of every block while only the service signs', () => {
    const dictionary = new NewestDictionary(db, always);
    expect(dictionary.update(1, [])).toEqual({ id: 1, content: always });
    expect(new NewestDictionary(db, always).update(2, []).id).toBe(1);
    expect(new NewestDictionary(db, randomBytes(300)).update(3, []).id).toBe(2);
  });

  it('adopts callers, and has them again at the next start', () => {
    const dictionary = new NewestDictionary(db, always);
    const newest = { id: 2, content: Buffer.concat([always, ...callers.slice(0, 2)]) };
    expect(dictionary.update(1, callers.slice(0, 2))).toEqual(newest);
    expect(dictionary.update(2, callers.slice(1, 2))).toEqual(newest);
    expect(new NewestDictionary(db, always).update(3, callers.slice(0, 2))).toEqual(newest);
  });

  it('contains the last 20 signers, and is re-created at most every 64 blocks', () => {
    const dictionary = new NewestDictionary(db, always);
    let newest = dictionary.update(1, [callers[1]!]);
    for (let number = 2; number <= 128; number++) newest = dictionary.update(number, [callers[number % 30]!]);
    // The 1st block creates it with its caller, and the 65th with those of 46 to 65.
    expect(newest.id).toBe(3);
    expect(holds(newest)).toHaveLength(20);
    expect(holds(newest)).toContain(callers[65 % 30]);
    expect(holds(newest)).not.toContain(callers[45 % 30]);
  });

  it('packs blocks that are read back whichever dictionary they were packed with', () => {
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
