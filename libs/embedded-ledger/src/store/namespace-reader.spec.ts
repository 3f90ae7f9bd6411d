import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { TemporaryDirectory } from '../testing/temporary-ledger.js';
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

  it.each([
    ['value', "x'61'"],
    ['block', 'block + 1'],
    ['entry', 'entry + 100'],
    ['digest', "x'61'"],
  ])('checks a record again whose %s is another than before', (column, to) => {
    const read = () => reader.state('key-0');
    for (let round = 0; round < 2; round++) expect(read()?.entry).toBe(1);
    db.exec(`UPDATE state SET ${column} = ${to} WHERE qualified_key = 'basic/key-0'`);
    expect(read).toThrow(expect.objectContaining({ code: 'LEDGER.DAMAGED' }));
  });

  it.each([
    ['qualified_key', "'basic/key-0x'"],
    ['entry', 'entry + 100'],
  ])('detects at a missing key that the %s of a neighbour was altered', (column, to) => {
    const reads = ['key-0', 'key-0w', 'key-0y'].map((key) => () => reader.state(key));
    expect(reads.map((read) => read()?.entry)).toEqual([1, undefined, undefined]);
    db.exec(`UPDATE state SET ${column} = ${to} WHERE qualified_key = 'basic/key-0'`);
    for (const read of reads) expect(read).toThrow(expect.objectContaining({ code: 'LEDGER.DAMAGED' }));
    expect(() => reader.range({ start: 'key-0', end: 'key-0w', limit: 5 })).toThrow(
      expect.objectContaining({ code: 'LEDGER.DAMAGED' }),
    );
  });
});

/** The pages of a large value are destroyed, so that a read of the value fails: a read that succeeds has not touched it. */
describe('NamespaceReader next to a large value', () => {
  const directory = new TemporaryDirectory();
  let db: DatabaseSync;
  let reader: NamespaceReader;
  beforeAll(() => {
    const path = directory.file('ledger.db');
    const written = new DatabaseSync(path);
    createDerivedTables(written);
    const large = Buffer.alloc(1_000_000, 'x');
    const writes = ['a', 'large', 'z'].flatMap((key, position) =>
      writesIn(
        key === 'large' ? 'other' : 'basic',
        [{ key, value: key === 'large' ? large : Buffer.from(key) }],
        position,
      ),
    );
    new DerivedTables(written, 'basic').add(7, [...writes, ...writesIn('other', [{ key: 'a', value: large }], 3)], []);
    written.close();
    const bytes = readFileSync(path);
    const [pageSize, overflow] = [bytes.readUInt16BE(16), Buffer.alloc(4000, 'x')];
    for (let page = 0; page < bytes.length; page += pageSize) {
      if (bytes.subarray(page + 4, page + pageSize).includes(overflow)) bytes.fill(0xff, page, page + pageSize);
    }
    writeFileSync(path, bytes);
    db = new DatabaseSync(path);
    reader = new NamespaceReader(db, 'basic');
  });
  afterAll(() => {
    db.close();
    directory.remove();
  });

  it('finds that a key is missing without it', () => {
    expect(() => new NamespaceReader(db, 'other').state('large')).toThrow(
      expect.objectContaining({ code: 'LEDGER.DAMAGED' }),
    );
    expect(reader.state('zz')).toBeUndefined();
    expect(new NamespaceReader(db, 'other').state('aa')).toBeUndefined();
    expect(new NamespaceReader(db, 'other').state('zz')).toBeUndefined();
    expect(new NamespaceReader(db, 'others').state('a')).toBeUndefined();
  });

  it('reads ranges that end before it, and the first key after a text, without it', () => {
    expect(reader.range({ start: '', end: '', limit: 10 }).map(({ key }) => key)).toEqual(['a', 'z']);
    expect(reader.range({ start: 'b', end: 'c', limit: 10 })).toEqual([]);
    expect(reader.keyFrom('zz')).toBeUndefined();
    expect(chaincodesIn(db)).toEqual(['basic', 'other']);
  });

  it('replaces a neighbour of it, and lists versions, without it', () => {
    const tables = new DerivedTables(db, 'basic');
    tables.add(8, writesIn('basic', [{ key: 'zz', value: Buffer.from('new') }], 0), []);
    expect(Array.from(tables.range('other', '', ''), ({ key }) => key)).toEqual(['a', 'large']);
    expect(tables.version('other', 'large')).toMatchObject({ blockNumber: 7 });
  });
});
