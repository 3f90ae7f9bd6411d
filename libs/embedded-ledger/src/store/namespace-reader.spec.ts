import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import { DerivedTables, writesIn } from './derived-tables.js';
import { chaincodesIn, NamespaceReader } from './namespace-reader.js';
import { createDerivedTables } from './schema.js';

/** Values that a text cannot carry as they are, and others that look like them. */
const VALUES: readonly (readonly [what: string, value: Buffer | null])[] = [
  ['plain text', Buffer.from('{"ID":"a"}')],
  ['nothing', Buffer.alloc(0)],
  ['text beyond ASCII', Buffer.from('äöü – 漢字 🚲')],
  ['a byte order mark', Buffer.from('\uFEFFtext')],
  ['a NUL within text', Buffer.from('before\u0000behind')],
  ['bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0xc3])],
  ['what a decoder puts in the place of such bytes', Buffer.from('a\uFFFD')],
  ['more than fits between other records', Buffer.alloc(100_000, 'x')],
  ['a deletion', null],
];

describe('NamespaceReader', () => {
  let db: DatabaseSync;
  let reader: NamespaceReader;
  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    createDerivedTables(db);
    reader = new NamespaceReader(db, 'basic');
    const writes = VALUES.flatMap(([, value], n) =>
      writesIn('basic', [{ key: `key-${n}`, value: value ?? undefined }], n),
    );
    new DerivedTables(db, 'basic').add(7, writes, []);
  });
  afterEach(() => {
    db.close();
  });

  it.each(VALUES.map(([what, value], n) => [what, n, value] as const))(
    'returns %s as it was written',
    (_, n, value) => {
      const found = reader.state(`key-${n}`);
      expect(found).toMatchObject({ key: `key-${n}`, block: 7, position: n, entry: n + 1 });
      expect(found?.value === null ? null : Buffer.from(found!.value)).toEqual(value);
    },
  );

  it('finds the owners and keys of its own chaincode only', () => {
    const write = (namespace: string, key: string, owner: string, position: number) => {
      return writesIn(namespace, [{ key, value: Buffer.from(JSON.stringify({ owner })) }], position);
    };
    const writes = [
      ...write('basic-2', 'a', 'Ann', 0),
      ...write('basic', 'b', 'Bob', 1),
      ...write('basic0', 'c', 'Carl', 2),
    ];
    new DerivedTables(db, 'basic').add(8, writes, []);
    expect([reader.ownerFrom(''), reader.ownerFrom('C')]).toEqual(['Bob', undefined]);
    expect(reader.ownedBy('Ann', '', 10)).toEqual([]);
    expect(reader.after('key-8', 10)).toEqual([]);
    expect(chaincodesIn(db)).toEqual(['basic', 'basic-2', 'basic0']);
  });

  it('returns the same in a range, without what is deleted', () => {
    const found = reader.range({ start: '', end: '', limit: 100 }).map(({ value }) => Buffer.from(value));
    expect(found).toEqual(VALUES.map(([, value]) => value).filter((value) => value !== null));
  });

  it.each([
    ['value', "x'61fffec4'"],
    ['value', 'NULL'],
    ['digest', "x'00112233445566778899aabbccddeeff'"],
    ['position', '4'],
  ])('refuses a record whose %s became %s, alone and in a range', (column, to) => {
    db.exec(`UPDATE state SET ${column} = ${to} WHERE qualified_key = 'basic/key-5'`);
    expect(() => reader.state('key-5')).toThrow(expect.objectContaining({ code: 'LEDGER.DAMAGED' }));
    expect(() => reader.range({ start: 'key-0', end: 'key-9', limit: 3 })).not.toThrow();
    expect(() => reader.range({ start: 'key-0', end: 'key-9', limit: 6 })).toThrow(
      expect.objectContaining({ code: 'LEDGER.DAMAGED' }),
    );
  });

  it.each(['value', 'block', 'entry', 'digest'])('checks a record again whose %s is another than before', (column) => {
    // Found itself, and as the neighbour on either side of a key that is not there.
    const reads = ['key-0', 'key-', 'key-00'].map((key) => () => reader.state(key));
    for (let round = 0; round < 2; round++)
      expect(reads.map((read) => read()?.entry)).toEqual([1, undefined, undefined]);
    const to = column === 'value' || column === 'digest' ? "x'61'" : `${column} + 1`;
    db.exec(`UPDATE state SET ${column} = ${to} WHERE qualified_key = 'basic/key-0'`);
    for (const read of reads) expect(read).toThrow(expect.objectContaining({ code: 'LEDGER.DAMAGED' }));
  });
});
