import { describe, expect, it } from '@jest/globals';
import type { RecordChange } from '../api/client.js';
import { changesBetween, partAt, stepsOf } from './document-changes.js';
import type { Json } from './schema-form.js';

/** A change of a record, as the API returns it. */
function change(transactionId: string, document: Json, deleted = false) {
  return { transactionId, timestamp: '2026-11-28T12:00:00.000Z', deleted, version: deleted ? null : 1, document };
}

describe('changesBetween', () => {
  it('compares objects by their members, and all else as a whole', () => {
    const before = { a: 1, b: { c: 'x', d: [1, 2], e: {} }, gone: null };
    const after = { a: 2, b: { c: 'x', d: [1], e: {} }, new: { f: true } };
    expect(changesBetween(before, after)).toEqual([
      { path: 'a', before: '1', after: '2' },
      { path: 'b.d', before: '[1,2]', after: '[1]' },
      { path: 'gone', before: 'null' },
      { path: 'new.f', after: 'true' },
    ]);
  });

  it.each<[Json | undefined, Json, object[]]>([
    [undefined, {}, [{ path: '', after: '{}' }]],
    [undefined, 'text', [{ path: '', after: 'text' }]],
    ['a', { b: 1 }, [{ path: '', before: 'a', after: '{"b":1}' }]],
    [{ b: 1 }, [1], [{ path: '', before: '{"b":1}', after: '[1]' }]],
    [null, { b: 1 }, [{ path: '', before: 'null', after: '{"b":1}' }]],
    [{ b: 1 }, { b: 1 }, []],
    [1, 1, []],
  ])('from %j to %j', (before, after, changes) => {
    expect(changesBetween(before, after)).toEqual(changes);
  });

  it('compares members with names of inherited ones', () => {
    const after = JSON.parse('{"__proto__":1,"constructor":2}') as Json;
    expect(changesBetween({}, after)).toEqual([
      { path: '__proto__', after: '1' },
      { path: 'constructor', after: '2' },
    ]);
  });
});

describe('partAt', () => {
  it('returns own members only', () => {
    const document = { address: { city: 'Lisbon' }, 'a.b': 1 };
    expect(['address.city', 'a.b', 'address.city.x', 'constructor'].map((path) => partAt(document, path))).toEqual([
      'Lisbon',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('stepsOf', () => {
  const changes = [change('4', { a: 2 }), change('3', null, true), change('2', { a: 1, b: 1 }), change('1', { a: 1 })];

  it('compares each change with the one before it, and starts again after a deletion', () => {
    expect(stepsOf(changes, true).map(({ verb, parts }) => [verb, parts])).toEqual([
      ['Created', [{ path: 'a', after: '2' }]],
      ['Deleted', []],
      ['Updated', [{ path: 'b', after: '1' }]],
      ['Created', [{ path: 'a', after: '1' }]],
    ]);
  });

  it('compares no document that is not stored', () => {
    const digest = 'ab';
    const outside = (id: string, state: 'stored' | 'erased' | 'absent', document: Json): RecordChange => ({
      ...change(id, document),
      outside: { digest, state, salt: null },
    });
    const steps = stepsOf(
      [outside('3', 'stored', { a: 1 }), outside('2', 'absent', null), outside('1', 'erased', null)],
      true,
    );
    expect(steps.map(({ verb, parts, missing, missingBefore }) => [verb, parts, missing, missingBefore])).toEqual([
      ['Updated', [{ path: 'a', after: '1' }], undefined, 'not here'],
      ['Updated', [], 'not here', undefined],
      ['Created', [], 'erased', undefined],
    ]);
  });

  it('leaves out the last change of an incomplete history', () => {
    expect(stepsOf(changes.slice(0, 3), false).map(({ verb }) => verb)).toEqual(['Created', 'Deleted']);
  });
});
