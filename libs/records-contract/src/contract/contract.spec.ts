import { describe, expect, it } from '@jest/globals';
import { ContractError, decideOn, type TransactionFacts } from '#contract-kit';
import { MemoryState } from '#contract-kit/testing';
import { RECORDS_CONTRACT } from './contract.js';
import { indexedFields, readRecord, recordDigest, recordId } from './record.js';
import type { Json } from './strict-json.js';

const TRANSACTION: TransactionFacts = { transactionId: 'ab'.repeat(32), timestamp: '2026-01-02T03:04:05.678Z' };
const LOGIN = JSON.stringify({
  schema: { type: 'object', properties: { user: { type: 'string' }, ok: { type: 'boolean' } }, required: ['user'] },
  indexes: ['user'],
});

/** A ledger in memory that executes each call as a transaction. */
class Ledger {
  readonly state = new MemoryState();
  readonly events: string[] = [];

  call(name: string, args: readonly string[], transaction = TRANSACTION): string {
    const { writes, payload, event } = decideOn(this.state, RECORDS_CONTRACT.prepare(name, args, transaction));
    for (const write of writes) this.state.write(write);
    if (event !== undefined) this.events.push(`${event.name} ${Buffer.from(event.payload).toString()}`);
    return Buffer.from(payload).toString();
  }

  json(name: string, ...args: readonly string[]): Json {
    return JSON.parse(this.call(name, args)) as Json;
  }

  refusal(name: string, ...args: readonly string[]): string {
    const before = this.state.writes;
    try {
      this.call(name, args);
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      expect(this.state.writes).toBe(before);
      return error.message;
    }
    throw new Error('the contract did not refuse');
  }

  digest(type: string, id: string): string {
    return recordDigest(this.state.value(`r/${type}/${id}`) ?? new Uint8Array());
  }
}

function withTypes(): Ledger {
  const ledger = new Ledger();
  ledger.call('DefineType', ['login', LOGIN]);
  ledger.call('DefineType', ['batch', '{"mode":"mutable"}']);
  return ledger;
}

describe('types', () => {
  it('are stored with a version, a mode, where documents are, a schema and indexes', () => {
    const ledger = withTypes();
    expect(ledger.json('GetType', 'login')).toEqual({
      name: 'login',
      version: 1,
      mode: 'append',
      payload: 'inside',
      ...(JSON.parse(LOGIN) as object),
    });
    expect(ledger.json('GetType', 'batch')).toEqual({
      name: 'batch',
      version: 1,
      mode: 'mutable',
      payload: 'inside',
      schema: true,
      indexes: [],
    });
    expect(ledger.events).toEqual([
      'DefineType {"type":"login","version":1}',
      'DefineType {"type":"batch","version":1}',
    ]);
  });

  it('get another version by another definition, and none by the same', () => {
    const ledger = withTypes();
    const before = ledger.state.writes;
    expect(ledger.json('DefineType', 'login', ` ${LOGIN} `)).toMatchObject({ version: 1 });
    expect(ledger.state.writes).toBe(before);
    expect(ledger.json('DefineType', 'login', '{"schema":{"type":"object"}}')).toMatchObject({
      version: 2,
      indexes: [],
    });
  });

  it('are listed in pages', () => {
    const ledger = withTypes();
    expect(ledger.json('ListTypes', '1', '')).toMatchObject({ types: [{ name: 'batch' }], bookmark: 'batch' });
    expect(ledger.json('ListTypes', '1', 'batch')).toMatchObject({ types: [{ name: 'login' }], bookmark: '' });
    expect(new Ledger().json('ListTypes', '5', '')).toEqual({ types: [], bookmark: '' });
  });

  it.each([
    [['a/b', '{}'], 'INVALID_ARGUMENT: type must be 1 to 64 letters, digits and _ . -, and begin with a letter'],
    [['a', '[]'], 'RECORD_TYPE_INVALID: the definition is refused: it must be an object'],
    [['a', '{"mode":"once"}'], 'RECORD_TYPE_INVALID: the definition is refused: /mode must be append or mutable'],
    [
      ['a', '{"index":[]}'],
      'RECORD_TYPE_INVALID: the definition is refused: it must not have the member "index"; it has mode, payload, schema, indexes',
    ],
    [['a', '{"payload":1}'], 'RECORD_TYPE_INVALID: the definition is refused: /payload must be inside or outside'],
    [
      ['login', '{"payload":"outside"}'],
      'RECORD_TYPE_CONFLICT: documents of login are stored inside the blocks, which cannot change',
    ],
    [
      ['a', '{"indexes":{}}'],
      'RECORD_TYPE_INVALID: the definition is refused: /indexes must be an array of at most 16 fields',
    ],
    [
      ['a', '{"indexes":["a..b"]}'],
      'RECORD_TYPE_INVALID: the definition is refused: /indexes/0 must be the name of a field, with dots between nested names',
    ],
    [['a', '{"indexes":["a","a"]}'], 'RECORD_TYPE_INVALID: the definition is refused: /indexes/1 names "a" again'],
    [['a', '{"schema":{"typ":1}}'], 'RECORD_TYPE_INVALID: the schema is refused: strict mode: unknown keyword: "typ"'],
    [['login', '{"mode":"mutable"}'], 'RECORD_TYPE_CONFLICT: the mode of login is append and cannot change'],
  ])('are refused: %j', (args, message) => {
    expect(withTypes().refusal('DefineType', ...args)).toBe(message);
  });

  it.each([
    ['Create', 'logon', '', '{}'],
    ['Update', 'logon', 'a', '{}', ''],
    ['Delete', 'logon', 'a', ''],
    ['Get', 'logon', 'a'],
    ['List', 'logon', '10', ''],
    ['CreateMany', 'logon', '[{"document":1}]'],
    ['GetType', 'logon'],
  ])('that are not defined are refused by %s', (name, ...args) => {
    expect(withTypes().refusal(name, ...args)).toBe('RECORD_TYPE_UNKNOWN: the record type logon is not defined');
    expect(withTypes().refusal(name, 'a/b', ...args.slice(1))).toMatch(
      /^RECORD_TYPE_UNKNOWN: a record type of that name/,
    );
  });
});

describe('Create', () => {
  it('stores the canonical document with the version of its type, and announces it without the document', () => {
    const ledger = withTypes();
    expect(ledger.call('Create', ['login', 'l1', '{"user": "ana", "ok": true}'])).toBe(
      '{"id":"l1","record":{"d":{"ok":true,"user":"ana"},"v":1}}',
    );
    expect(ledger.state.stored('r/login/l1')).toBe('{"d":{"ok":true,"user":"ana"},"v":1}');
    expect(ledger.call('Get', ['login', 'l1'])).toBe('{"d":{"ok":true,"user":"ana"},"v":1}');
    expect(ledger.events.at(-1)).toBe('CreateRecord {"id":"l1","type":"login"}');
  });

  it('makes an id of the transaction, the same for each peer, without reading it', () => {
    const ledger = withTypes();
    const id = '019b7ca9-8f2e-7';
    expect(ledger.json('Create', 'login', '', '{"user":"ana"}')).toMatchObject({
      id: expect.stringMatching(`^${id}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`) as unknown as string,
    });
    expect(RECORDS_CONTRACT.prepare('Create', ['login', '', '{}'], TRANSACTION)).toMatchObject({ reads: ['t/login'] });
  });

  it('refuses an id in use', () => {
    const ledger = withTypes();
    ledger.call('Create', ['login', 'l1', '{"user":"ana"}']);
    expect(ledger.refusal('Create', 'login', 'l1', '{"user":"bob"}')).toBe(
      'RECORD_EXISTS: the record l1 of login already exists',
    );
  });

  it.each([
    ['{"user":1}', 'RECORD_INVALID: the document is refused: /user must be string'],
    ['{}', "RECORD_INVALID: the document is refused: it must have required property 'user'"],
    ['{"user":"a","user":"b"}', 'RECORD_INVALID: the document is refused: it has "user" twice'],
    ['{', 'RECORD_INVALID: the document is refused: it must be JSON'],
  ])('refuses %s', (document, message) => {
    expect(withTypes().refusal('Create', 'login', '', document)).toBe(message);
  });

  it('refuses a document whose canonical form is too large', () => {
    const numbers = `[${Array.from({ length: 12_000 }, () => '1e20').join(',')}]`;
    expect(withTypes().refusal('Create', 'batch', '', numbers)).toBe(
      'RECORD_INVALID: the document is refused: it must not exceed 65536 bytes',
    );
  });

  it('refuses an invalid id', () => {
    expect(withTypes().refusal('Create', 'login', '..', '{"user":"a"}')).toBe(
      'INVALID_ARGUMENT: id must not be . or ..',
    );
  });
});

describe('Update and Delete', () => {
  it('change a record of a mutable type, and keep its history', () => {
    const ledger = withTypes();
    ledger.call('Create', ['batch', 'b/1', '{"n":1}']);
    expect(ledger.call('Update', ['batch', 'b/1', '{"n":2}', ''])).toBe('{"id":"b/1","record":{"d":{"n":2},"v":1}}');
    expect(ledger.call('Update', ['batch', 'b/1', '{"n":3}', `x,${ledger.digest('batch', 'b/1')}`])).toContain('"n":3');
    expect(ledger.refusal('Update', 'batch', 'b/1', '{"n":4}', 'x')).toBe(
      'RECORD_CHANGED: the record b/1 of batch has changed since it was read',
    );
    expect(ledger.call('Delete', ['batch', 'b/1', ledger.digest('batch', 'b/1')])).toBe('');
    expect(ledger.refusal('Get', 'batch', 'b/1')).toBe('RECORD_NOT_FOUND: the record b/1 of batch does not exist');
    expect(ledger.json('History', 'batch', 'b/1', '10', '')).toMatchObject({
      changes: [
        { isDelete: true, record: null },
        { isDelete: false, record: { d: { n: 3 }, v: 1 } },
        { record: { d: { n: 2 } } },
        { record: { d: { n: 1 } } },
      ],
      bookmark: '',
    });
    expect(ledger.events.slice(-2)).toEqual([
      'UpdateRecord {"id":"b/1","type":"batch"}',
      'DeleteRecord {"id":"b/1","type":"batch"}',
    ]);
  });

  it('are refused for a type of mode append, and for a record that is not there', () => {
    const ledger = withTypes();
    ledger.call('Create', ['login', 'l1', '{"user":"ana"}']);
    const message = 'RECORD_APPEND_ONLY: records of login cannot be changed or deleted: its mode is append';
    expect(ledger.refusal('Update', 'login', 'l1', '{"user":"bob"}', '')).toBe(message);
    expect(ledger.refusal('Delete', 'login', 'l1', '')).toBe(message);
    expect(ledger.refusal('Delete', 'batch', 'no', '')).toBe('RECORD_NOT_FOUND: the record no of batch does not exist');
    expect(ledger.refusal('Get', 'batch', '..')).toBe(
      'RECORD_NOT_FOUND: a record of batch with that id does not exist',
    );
  });

  it('validate by the present version of the type', () => {
    const ledger = withTypes();
    ledger.call('Create', ['batch', 'b', '1']);
    ledger.call('DefineType', ['batch', '{"schema":{"type":"string"}}']);
    expect(ledger.json('Get', 'batch', 'b')).toEqual({ d: 1, v: 1 });
    expect(ledger.refusal('Update', 'batch', 'b', '2', '')).toBe(
      'RECORD_INVALID: the document is refused: it must be string',
    );
    expect(ledger.json('Update', 'batch', 'b', '"two"', '')).toMatchObject({ record: { d: 'two', v: 2 } });
  });
});

describe('CreateMany', () => {
  it('creates what it can, with ids of its own where none are given', () => {
    const ledger = withTypes();
    ledger.call('Create', ['login', 'l1', '{"user":"ana"}']);
    const records = [
      { document: { user: 'a' } },
      { id: 'l1', document: { user: 'b' } },
      { id: 'l2', document: { user: 'c' } },
      { id: 'l2', document: { user: 'd' } },
      { id: '', document: { user: 'e' } },
      { id: 5, document: { user: 'e' } },
      { document: { user: 6 } },
      { doc: 1 },
      { document: { user: 'f' } },
    ];
    const result = ledger.json('CreateMany', 'login', JSON.stringify(records)) as {
      created: string[];
      refused: object[];
    };
    expect(result.created).toEqual([recordId(TRANSACTION, 0), 'l2', recordId(TRANSACTION, 8)]);
    expect(result.refused).toEqual([
      { index: 1, code: 'RECORD_EXISTS', reason: 'the record l1 of login already exists' },
      { index: 3, code: 'RECORD_EXISTS', reason: 'the record l2 of login already exists' },
      { index: 4, code: 'INVALID_ARGUMENT', reason: 'id must not be empty' },
      { index: 5, code: 'INVALID_ARGUMENT', reason: 'id must be a string' },
      { index: 6, code: 'RECORD_INVALID', reason: 'the document is refused: /user must be string' },
      {
        index: 7,
        code: 'INVALID_ARGUMENT',
        reason: 'a record must have a document, optionally an id, and nothing else',
      },
    ]);
    expect(ledger.json('List', 'login', '10', '')).toMatchObject({ records: [{}, {}, {}, {}], bookmark: '' });
  });

  it('writes nothing when every document is refused', () => {
    const ledger = withTypes();
    const before = ledger.events.length;
    expect(ledger.json('CreateMany', 'login', '[{"document":1}]')).toMatchObject({ created: [] });
    expect(ledger.events).toHaveLength(before);
  });

  it.each(['{}', '[]', JSON.stringify(Array.from({ length: 501 }, () => ({ document: 1 })))])(
    'refuses %.20s',
    (records) => {
      expect(withTypes().refusal('CreateMany', 'login', records)).toBe(
        'INVALID_ARGUMENT: records must be a JSON array of 1 to 500 records',
      );
    },
  );
});

describe('List and History', () => {
  it('return pages in byte order of the ids, of one type', () => {
    const ledger = withTypes();
    ledger.call('DefineType', ['login.old', '{}']);
    ledger.call('Create', ['login.old', 'x', '1']);
    for (const id of ['c', 'a', 'b']) ledger.call('Create', ['login', id, JSON.stringify({ user: id })]);
    expect(ledger.json('List', 'login', '2', '')).toMatchObject({ records: [{ id: 'a' }, { id: 'b' }], bookmark: 'b' });
    expect(ledger.json('List', 'login', '2', 'b')).toEqual({
      records: [{ id: 'c', record: { d: { user: 'c' }, v: 1 } }],
      bookmark: '',
    });
    expect(ledger.json('List', 'batch', '2', '')).toEqual({ records: [], bookmark: '' });
  });

  it('return pages of changes, newest first', () => {
    const ledger = withTypes();
    ledger.call('Create', ['batch', 'b', '1']);
    for (const n of [2, 3]) ledger.call('Update', ['batch', 'b', String(n), '']);
    const first = ledger.json('History', 'batch', 'b', '2', '') as { bookmark: string };
    expect(first).toMatchObject({ changes: [{ record: { d: 3 } }, { record: { d: 2 } }] });
    expect(ledger.json('History', 'batch', 'b', '2', first.bookmark)).toMatchObject({
      changes: [{ record: { d: 1 } }],
      bookmark: '',
    });
    expect(ledger.refusal('History', 'batch', 'b', '2', 'no')).toMatch(
      /^INVALID_ARGUMENT: the page after the bookmark/,
    );
    expect(ledger.refusal('History', 'batch', 'no', '2', '')).toBe(
      'RECORD_NOT_FOUND: the record no of batch does not exist',
    );
    expect(ledger.refusal('History', 'batch', '..', '2', '')).toMatch(/^RECORD_NOT_FOUND/);
    expect(ledger.refusal('History', '/', 'a', '2', '')).toMatch(/^RECORD_TYPE_UNKNOWN/);
    expect(ledger.refusal('List', 'batch', '0', '')).toMatch(/^INVALID_ARGUMENT: pageSize/);
  });
});

describe('indexedFields', () => {
  it.each<[string[], Json, string[]]>([
    [['user'], { user: 'ana' }, ['user=ana']],
    [['n', 'ok', 'no'], { n: 1.5, ok: false, no: null }, ['n=1.5', 'ok=false', 'no=null']],
    [['a.b.c'], { a: { b: { c: 'x' } } }, ['a.b.c=x']],
    [['tags'], { tags: ['x', 'y', 'x', ['z'], { t: 1 }] }, ['tags=x', 'tags=y']],
    [['items.sku'], { items: [{ sku: 'a' }, { sku: 'b' }, 1] }, ['items.sku=a', 'items.sku=b']],
    [['o', 'absent', 'toString'], { o: { x: 1 } }, []],
    [['s'], { s: 'x'.repeat(257) }, []],
    [['s'], 'text', []],
  ])('of %j in %j are %j', (indexes, document, expected) => {
    expect(indexedFields(indexes, document).map(({ field, value }) => `${field}=${value}`)).toEqual(expected);
  });
});

describe('readRecord', () => {
  it.each(['no JSON', '1', '{"v":1}', '{"d":1}', '{"v":"1","d":1}'])('returns nothing for %s', (text) => {
    expect(readRecord(Buffer.from(text))).toBeUndefined();
  });

  it('returns the parts of a record', () => {
    expect(readRecord(Buffer.from('{"d":null,"v":3}'))).toEqual({ v: 3, d: null });
  });
});
