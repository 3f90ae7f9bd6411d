import { beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import { RECORD_FIELDS_TABLE, RecordFieldReader, RecordFieldWriter } from './record-fields.js';

let db: DatabaseSync;
let state: Map<string, Uint8Array>;
let writer: RecordFieldWriter;
beforeEach(() => {
  db = new DatabaseSync(':memory:');
  db.exec(RECORD_FIELDS_TABLE);
  state = new Map();
  writer = newWriter();
});

function newWriter(): RecordFieldWriter {
  return new RecordFieldWriter(db, {
    value: (key) => state.get(key),
    keys: (from, end, limit) =>
      [...state.keys()]
        .filter((key) => key >= from && key < end)
        .sort()
        .slice(0, limit),
  });
}

/** Writes as a commit does: the state first. Undefined deletes. */
function write(key: string, value: unknown): void {
  const before = state.get(key);
  if (value === undefined) state.delete(key);
  else state.set(key, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
  writer.apply(key, state.get(key), before);
}

const define = (type: string, indexes: readonly string[]) => {
  write(`t/${type}`, { name: type, indexes });
};
const record = (id: string, d: unknown, type = 'login') => {
  write(`r/${type}/${id}`, d === undefined ? undefined : { v: 1, d });
};
const rows = () =>
  db
    .prepare('SELECT * FROM record_fields')
    .all()
    .map(({ type, field, value, id }) => [type, field, value, id].join(' '));

describe('the table of indexed values', () => {
  it('has the values of records, follows their changes, and forgets deleted ones', () => {
    define('login', ['user', 'from.city', 'tags']);
    record('a', { user: 'ana', from: { city: 'Lisbon' }, tags: ['x', 'y', 'x'], other: 1 });
    record('b/c', { user: 5, tags: [true, null, { no: 1 }] });
    expect(rows()).toEqual([
      'login from.city Lisbon a',
      'login tags null b/c',
      'login tags true b/c',
      'login tags x a',
      'login tags y a',
      'login user 5 b/c',
      'login user ana a',
    ]);
    record('a', { user: 'bob' });
    record('b/c', undefined);
    expect(rows()).toEqual(['login user bob a']);
  });

  it('is filled for a field that is indexed later, and loses one that is no longer indexed', () => {
    define('login', ['user']);
    record('a', { user: 'ana', ip: '::1' });
    record('a', { user: 'ana' }, 'other');
    define('login', ['ip']);
    expect(rows()).toEqual(['login ip ::1 a']);
    // Another process continues from the state.
    writer = newWriter();
    record('b', { user: 'bob', ip: '::2' });
    define('login', ['user', 'ip']);
    expect(rows()).toEqual(['login ip ::1 a', 'login ip ::2 b', 'login user ana a', 'login user bob b']);
    write('t/login', undefined);
    expect(rows()).toEqual([]);
  });

  it('is the same when it is filled from the state', () => {
    define('login', ['user', 'ip']);
    define('other', ['user']);
    for (let n = 0; n < 50; n++)
      record(`id-${n}`, { user: `user-${n % 7}`, ip: [n, n + 1] }, n % 3 ? 'login' : 'other');
    record('id-4', undefined);
    const followed = rows();
    db.exec('DELETE FROM record_fields');
    newWriter().fill();
    expect(rows()).toEqual(followed);
  });

  it('has bounded rows for a document, and no long values', () => {
    define('login', ['user', 'tags']);
    record('a', { user: 'x'.repeat(257), tags: Array.from({ length: 5000 }, (_, n) => n) });
    expect(rows()).toHaveLength(100);
    record('a', { user: 'x'.repeat(256) });
    expect(rows()).toHaveLength(1);
  });

  it('ignores what a chaincode of the same name wrote in another form', () => {
    for (const value of ['', 'null', '[]', '{"indexes":{}}', '{"indexes":[1,"user"]}']) write('t/login', value);
    for (const value of ['', '{', 'null', '5', '{"v":1}', '{"d":{"user":"a"}}', 'x'.repeat(1_000_000)])
      write('r/login/a', value);
    for (const key of ['r/', 'r/login', 'r/login/', 'r//a', 't/', 'x/login/a'])
      write(key, { v: 1, d: { user: 'ana' } });
    expect(rows()).toEqual([]);
    record('a', { user: 'ana' });
    expect(rows()).toEqual(['login user ana a']);
  });
});

describe('finding records by their values', () => {
  const ids = Array.from({ length: 300 }, (_, n) => `id-${String(n).padStart(3, '0')}`);
  const fields = (n: number) => ({ two: n % 2, three: n % 3, five: n % 5, same: 'x' });
  beforeEach(() => {
    define('login', ['two', 'three', 'five', 'same']);
    for (const [n, id] of ids.entries()) record(id, fields(n));
    record('id-001', fields(1), 'other');
  });

  it.each([
    [{ same: 'x' }],
    [{ two: '1' }],
    [{ two: '1', three: '2' }],
    [{ five: '4', two: '0', three: '1', same: 'x' }],
    [{ two: '0', same: 'y' }],
  ])('returns those that meet %j in pages of any size, once, in order', (where: Record<string, string>) => {
    const reader = new RecordFieldReader(db);
    const conditions = Object.entries(where).map(([field, value]) => ({ field, value }));
    const wanted = ids.filter((_, n) =>
      conditions.every(
        ({ field, value }) => String(Object.entries(fields(n)).find(([name]) => name === field)?.[1]) === value,
      ),
    );
    for (const limit of [1, 7, 300]) {
      const found: string[] = [];
      for (let after: string | undefined = ''; after !== undefined;) {
        const page: { ids: readonly string[]; next: string | undefined } = reader.find('login', conditions, {
          after,
          limit,
        });
        expect(page.ids.length).toBeLessThanOrEqual(limit);
        found.push(...page.ids);
        after = page.next;
      }
      expect(found).toEqual(wanted);
    }
  });

  it('bounds the work for a page: conditions that never hold together make short pages', () => {
    db.exec('DELETE FROM record_fields');
    const insert = db.prepare('INSERT INTO record_fields VALUES (?, ?, ?, ?)');
    const count = 30_000;
    for (let n = 0; n < count; n++) insert.run('login', n % 2 ? 'a' : 'b', 'x', String(n).padStart(6, '0'));
    insert.run('login', 'a', 'x', 'last');
    insert.run('login', 'b', 'x', 'last');
    const where = ['a', 'b'].map((field) => ({ field, value: 'x' }));
    const reader = new RecordFieldReader(db);
    const first = reader.find('login', where, { after: '', limit: 10 });
    expect(first).toMatchObject({ ids: [], next: expect.stringMatching(/^0/) });
    const second = reader.find('login', where, { after: first.next ?? '', limit: 10 });
    expect(second).toEqual({ ids: ['last'], next: undefined });
  });
});
