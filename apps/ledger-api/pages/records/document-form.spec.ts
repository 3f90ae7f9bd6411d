import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { faultsIn } from './document-faults.js';
import { canShow, emptyValue, jsonOf, valueOf, type FormValue } from './document-form.js';
import { formOf, type FormField, type Json } from './schema-form.js';

const PERSON = formOf({
  type: 'object',
  required: ['name', 'address', 'tags'],
  properties: {
    name: { type: 'string', title: 'Full name' },
    age: { type: 'integer' },
    ok: { type: 'boolean' },
    level: { enum: ['low', 'high', 3] },
    born: { type: 'string', format: 'date' },
    seen: { type: 'string', format: 'date-time' },
    address: { type: 'object', properties: { city: { type: 'string' }, 'a/b~c': { type: 'number' } } },
    tags: { type: 'array', items: { type: 'string' } },
    other: {},
  },
});

/** Returns the JSON text of a value, and the faults of its fields. */
function textOf(field: FormField, value: FormValue) {
  const faults = new Map<string, string>();
  return { text: jsonOf(field, value, faults), faults: Object.fromEntries(faults) };
}

/** Returns the kinds of the members of a form, by their names. */
function kindsOf(field: FormField): Record<string, string> {
  return field.kind === 'object'
    ? Object.fromEntries(field.members.map(({ name, field: inner }) => [name, inner.kind]))
    : { '': field.kind };
}

describe('the form of a schema', () => {
  it('has a field of its kind for each member', () => {
    // Required members come first.
    const names = ['name', 'address', 'tags', 'age', 'ok', 'level', 'born', 'seen', 'other'];
    expect(Object.keys(kindsOf(PERSON))).toEqual(names);
    expect(kindsOf(PERSON)).toEqual({
      name: 'text',
      age: 'integer',
      ok: 'boolean',
      level: 'choice',
      born: 'date',
      seen: 'date-time',
      address: 'object',
      tags: 'array',
      other: 'json',
    });
  });

  it('follows references, and shows recursive and unknown ones as JSON', () => {
    const form = formOf({
      properties: {
        home: { $ref: '#/$defs/a~1b' },
        tree: { $ref: '#/$defs/tree' },
        lost: { $ref: '#/$defs/constructor' },
        own: { $ref: 'https://example.org/' },
      },
      $defs: {
        'a/b': { type: 'string', description: 'A home.' },
        tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' } } },
      },
    });
    expect(kindsOf(form)).toEqual({ home: 'text', tree: 'object', lost: 'json', own: 'json' });
    expect(form).toMatchObject({
      members: [{ field: { description: 'A home.' } }, { field: { members: [{ field: { kind: 'json' } }] } }, {}, {}],
    });
  });

  it.each<Json>([
    true,
    {},
    { type: ['string', 'null'] },
    { type: 'object' },
    { type: 'object', properties: {} },
    { anyOf: [{ type: 'string' }] },
    { type: 'array', prefixItems: [{}] },
    { enum: [] },
    { properties: [] },
    { $ref: '#/$defs/self', $defs: { self: { $ref: '#/$defs/self' } } },
  ])('is JSON text for %j', (schema) => {
    expect(formOf(schema).kind).toBe('json');
  });

  it('is bounded for schemas that expand without end', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`p${index}`, { $ref: '#/$defs/d1' }]),
    );
    const $defs = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [
        `d${index + 1}`,
        {
          properties: Object.fromEntries(
            Object.keys(properties).map((name) => [name, { $ref: `#/$defs/d${index + 2}` }]),
          ),
        },
      ]),
    );
    const count = (field: FormField): number =>
      field.kind === 'object' ? field.members.reduce((sum, { field: inner }) => sum + count(inner), 1) : 1;
    expect(count(formOf({ properties, $defs }))).toBeLessThan(1000);
  });

  it('starts with the defaults, and with the only value of a constant', () => {
    const form = formOf({
      properties: {
        kind: { const: 'login' },
        size: { type: 'number', default: 3 },
        name: { type: 'string', default: 5 },
        any: { default: { a: 1 } },
        ok: { type: 'boolean', default: false },
        color: { enum: ['red', 'blue'], default: 'blue' },
      },
    });
    expect(textOf(form, emptyValue(form)).text).toBe(
      '{"kind":"login","size":3,"any":{\n  "a": 1\n},"ok":false,"color":"blue"}',
    );
  });
});

describe('jsonOf', () => {
  it('omits members without a value, and keeps required groups and lists', () => {
    expect(textOf(PERSON, emptyValue(PERSON))).toEqual({ text: '{"address":{},"tags":[]}', faults: {} });
  });

  it('writes numbers and JSON as they were typed', () => {
    const form = formOf({ properties: { n: { type: 'number' }, j: {} } });
    expect(textOf(form, ['1e400', '{"a":9007199254740993, "a":1}']).text).toBe(
      '{"n":1e400,"j":{"a":9007199254740993, "a":1}}',
    );
  });

  it('names the field of each value that is not valid', () => {
    const form = formOf({
      properties: {
        n: { type: 'integer' },
        j: {},
        list: { type: 'array', items: { type: 'string' } },
        t: { type: 'string' },
      },
    });
    const { faults } = textOf(form, ['1,5', '{', ['a', ''], ' ']);
    expect(Object.keys(faults)).toEqual(['/n', '/j', '/list/1']);
    expect(faults['/n']).toBe('Must be a number, such as 12 or 3.5.');
  });

  it('returns what valueOf was given, where the form can show it', () => {
    const document = {
      name: 'Ana',
      age: 5,
      ok: false,
      level: 3,
      born: '2026-01-31',
      seen: '2026-01-31T10:00:00Z',
      address: { city: 'Lisbon', 'a/b~c': 1.5 },
      tags: ['a', 'b'],
      other: { x: [1, null] },
    };
    const { text } = textOf(PERSON, valueOf(PERSON, document));
    expect(JSON.parse(text!)).toEqual(document);
    expect(canShow(PERSON, document)).toBe(true);
  });

  it.each<Json>([
    { name: 'a', address: {}, tags: [], extra: 1 },
    { name: '', address: {}, tags: [] },
    { name: 5, address: {}, tags: [] },
    { name: null, address: {}, tags: [] },
    { name: 'a', address: {}, tags: [''] },
    { name: 'a', address: {}, tags: [], age: '5' },
    { name: 'a', address: {}, tags: {} },
    [],
    'text',
    null,
  ])('cannot show %j without a loss', (document) => {
    expect(canShow(PERSON, document)).toBe(false);
  });

  it('shows no document in another way than it is, for any document and schema', () => {
    const types = fc.constantFrom<Json>('string', 'number', 'integer', 'boolean', 'object', 'array', [
      'string',
      'null',
    ]);
    const schemas = fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(
        fc.string({ maxLength: 4 }),
        fc.record({ type: types, items: fc.record({ type: types }) }),
      ),
    });
    fc.assert(
      fc.property(schemas, fc.jsonValue({ maxDepth: 3 }), (schema, document) => {
        const form = formOf(JSON.parse(JSON.stringify(schema)) as Json);
        const plain = JSON.parse(JSON.stringify(document)) as Json;
        if (!canShow(form, plain)) return;
        expect(JSON.parse(textOf(form, valueOf(form, plain)).text!)).toEqual(plain);
      }),
    );
  });

  it('keeps members with names of inherited ones', () => {
    const form = formOf(
      JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}') as Json,
    );
    expect(textOf(form, valueOf(form, {})).text).toBe('{}');
    const document = JSON.parse('{"__proto__":"a","constructor":"b"}') as Json;
    expect(textOf(form, valueOf(form, document)).text).toBe('{"__proto__":"a","constructor":"b"}');
  });
});

describe('faultsIn', () => {
  const value = valueOf(PERSON, { name: 'a', address: {}, tags: ['x', 'y'] });
  const faults = (text: string) => {
    const { faults: found, form } = faultsIn(`The document is refused: ${text}.`, PERSON, value);
    return { ...Object.fromEntries(found), ...(form !== '' && { form }) };
  };

  it('assigns each fault to the field of its pointer', () => {
    expect(
      faults(
        '/age must be integer; /tags/1 must be string; /address/a~1b~0c must be number; /address/a~1b~0c must be >= 1; ' +
          "it must have required property 'name'; /other/x must be null; /tags must NOT have more than 1 items",
      ),
    ).toEqual({
      '/age': 'Must be integer.',
      '/tags/1': 'Must be string.',
      '/address/a~1b~0c': 'Must be number. Must be >= 1.',
      '/name': 'Is missing.',
      '/tags': 'Must NOT have more than 1 items.',
      form: '/other/x must be null.',
    });
  });

  it('returns what belongs to no field as the message of the form', () => {
    expect(faults('it must not have the property "x"; it must have required property \'y\'; and 3 more')).toEqual({
      form: 'The document must not have the property "x"; the document must have required property \'y\'; and 3 more.',
    });
    expect(faultsIn('The server is unreachable.', PERSON, value)).toEqual({
      faults: new Map(),
      form: 'The server is unreachable.',
    });
  });

  it('assigns faults in a document of JSON text to its only field', () => {
    const { faults: found, form } = faultsIn('The document is refused: it must be object.', formOf(true), '[]');
    expect([Object.fromEntries(found), form]).toEqual([{ '': 'Must be object.' }, '']);
  });
});
