import { describe, expect, it } from '@jest/globals';
import { ContractError } from '#contract-kit';
import { requireValidDocument, requireValidSchema, SchemaCompiler } from './record-schema.js';
import type { Json } from './strict-json.js';

function refusal(run: () => void): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ContractError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

const refused = (schema: Json): string =>
  refusal(() => {
    requireValidSchema(schema);
  }).replace('RECORD_TYPE_INVALID: the schema is refused: ', '');

/** Definitions, each of which applies the next one twice. */
function doubling(count: number): Json {
  const defs = Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `d${n}`,
      n + 1 < count ? { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] } : {},
    ]),
  );
  return { $ref: '#/$defs/d0', $defs: defs };
}

describe('requireValidSchema', () => {
  it.each<[string, Json]>([
    ['true', true],
    ['an empty one', {}],
    ['one with a dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Login', type: 'object' }],
    [
      'a list',
      {
        type: 'array',
        items: { $ref: '#/$defs/item' },
        $defs: { item: { type: ['string', 'null'], format: 'date-time' } },
      },
    ],
    [
      'a tree',
      {
        $ref: '#/$defs/node',
        $defs: { node: { properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } } } },
      },
    ],
    [
      'a tree of lists',
      {
        $defs: { a: { properties: { c: { items: { $ref: '#/$defs/b' } } } }, b: { allOf: [{ $ref: '#/$defs/a' }] } },
        $ref: '#/$defs/b',
      },
    ],
    [
      'two definitions that apply to different members',
      {
        $defs: { n: { properties: { a: { items: { $ref: '#/$defs/n' } }, b: { $ref: '#/$defs/n' } } } },
        $ref: '#/$defs/n',
      },
    ],
    ['a name with a slash', { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } }],
    ['a name of the prototype', { properties: { constructor: { type: 'string' } }, required: ['toString'] }],
  ])('accepts %s', (_, schema) => {
    expect(() => {
      requireValidSchema(schema);
    }).not.toThrow();
  });

  it.each<[string, Json, string | RegExp]>([
    ['false', false, 'it must be an object, or true for any document'],
    ['a text', 'object', 'it must be an object, or true for any document'],
    ['more than 16 KiB', { description: 'x'.repeat(16_384) }, 'it must not exceed 16384 bytes'],
    ['an unknown keyword', { typ: 'string' }, 'strict mode: unknown keyword: "typ"'],
    ['an unknown format', { format: 'regex' }, /unknown format "regex"/],
    ['a wrong keyword', { type: 'strin' }, /\/type must be equal to one of the allowed values/],
    ['an identifier', { $id: 'https://example.com/a' }, '/$id is not supported'],
    ['an anchor below', { properties: { a: { $anchor: 'a' } } }, '/properties/a/$anchor is not supported'],
    ['a dynamic reference', { $dynamicRef: '#a' }, '/$dynamicRef is not supported'],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, /^\/\$schema must be https/],
    ['a reference to elsewhere', { $ref: 'https://example.com/a' }, '/$ref must have the form #/$defs/NAME'],
    [
      'a reference to the top',
      { properties: { a: { $ref: '#' } } },
      '/properties/a/$ref must have the form #/$defs/NAME',
    ],
    ['a reference to nothing', { $ref: '#/$defs/no' }, '/$ref refers to "no", which is not in $defs'],
    [
      'a reference to a name of the prototype',
      { $ref: '#/$defs/toString', $defs: {} },
      '/$ref refers to "toString", which is not in $defs',
    ],
    [
      'definitions below the top',
      { properties: { a: { $defs: {} } } },
      '/properties/a/$defs must be at the top of the schema',
    ],
    ['a subschema that is none', { items: 'string' }, '/items must be a schema: an object, true or false'],
    ['a list that is none', { allOf: {} }, '/allOf must be an array of schemas'],
    ['a map that is none', { properties: [] }, '/properties must be an object of schemas'],
    [
      'a circle',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } },
      /leads back to itself without a property or an item between$/,
    ],
    [
      'a circle of one',
      { $ref: '#/$defs/a', $defs: { a: { not: { $ref: '#/$defs/a' } } } },
      '/$defs/a/not/$ref leads back to itself without a property or an item between',
    ],
    [
      'recursion in two ways',
      {
        $ref: '#/$defs/a',
        $defs: { a: { properties: { x: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } } } },
      },
      '/$defs/a is recursive in two ways for one value',
    ],
    [
      'recursion in two ways through another definition',
      {
        $ref: '#/$defs/a',
        $defs: {
          a: { properties: { x: { $ref: '#/$defs/a' } }, allOf: [{ $ref: '#/$defs/b' }] },
          b: { additionalProperties: { $ref: '#/$defs/a' } },
        },
      },
      '/$defs/a is recursive in two ways for one value',
    ],
    [
      'recursion at two depths',
      { $ref: '#/$defs/a', $defs: { a: { items: { items: { $ref: '#/$defs/a' }, anyOf: [{ $ref: '#/$defs/a' }] } } } },
      '/$defs/a is recursive in two ways for one value',
    ],
    ['doubling definitions', doubling(20), /expands to more than 10000 subschemas$/],
    ['many subschemas', { anyOf: Array.from({ length: 300 }, () => true) }, 'it has more than 300 subschemas'],
    [
      'many subschemas for each item',
      {
        items: { $ref: '#/$defs/d0' },
        $defs: { ...((doubling(10) as { $defs: object }).$defs as Record<string, Json>) },
      },
      /expands to more than 1000 subschemas for each item or property$/,
    ],
    [
      'deep nesting',
      Array.from({ length: 17 }).reduce<Json>((inner) => ({ items: inner }), {}),
      /is nested deeper than 16 schemas$/,
    ],
    ['uniqueItems without a limit', { uniqueItems: true }, '/uniqueItems needs maxItems of at most 1000'],
    ['a pattern with a lookahead', { pattern: '(?=a)b' }, /^\/pattern is not a pattern that takes linear time \(RE2\)/],
    [
      'a pattern with a backreference',
      { pattern: '(a)\\1' },
      /^\/pattern is not a pattern that takes linear time \(RE2\)/,
    ],
    ['a long pattern', { pattern: 'a'.repeat(257) }, '/pattern must not exceed 256 characters'],
    [
      'a pattern that repeats too much',
      { patternProperties: { 'a{999}b{999}': true } },
      /^\/patternProperties\/a\{999\}b\{999\} repeats too much/,
    ],
    [
      'patterns that are too large together',
      { allOf: Array.from({ length: 5 }, () => ({ pattern: 'a{900}' })) },
      'it has patterns with more than 4000 steps in all',
    ],
    ['a pattern that is none', { pattern: 1 }, '/pattern must be a string'],
  ])('refuses %s', (_, schema, rule) => {
    if (typeof rule === 'string') expect(refused(schema)).toBe(rule);
    else expect(refused(schema)).toMatch(rule);
  });
});

describe('requireValidDocument', () => {
  const faults = (schema: Json, document: Json): string =>
    refusal(() => {
      requireValidDocument(schema, document);
    }).replace('RECORD_INVALID: the document is refused: ', '');

  it('names the pointer and the rule of every fault', () => {
    const schema: Json = {
      type: 'object',
      properties: {
        user: { type: 'string', pattern: '^[a-z]+$' },
        count: { type: 'integer', minimum: 1 },
        at: { format: 'date-time' },
        kind: { enum: ['a', 'b'] },
        one: { const: 1 },
      },
      required: ['user', 'count'],
      additionalProperties: false,
    };
    expect(() => {
      requireValidDocument(schema, { user: 'ana', count: 1 });
    }).not.toThrow();
    expect(faults(schema, { user: 'Ana', at: 'now', kind: 'c', one: 2, extra: 1 }).split('; ').sort()).toEqual([
      '/at must match format "date-time"',
      '/kind must be one of "a","b"',
      '/one must be 1',
      '/user must match pattern "^[a-z]+$"',
      "it must have required property 'count'",
      'it must not have the property "extra"',
    ]);
  });

  it('distinguishes its patterns', () => {
    const schema: Json = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect(() => {
      requireValidDocument(schema, { a: 'a', b: 'b' });
    }).not.toThrow();
    expect(faults(schema, { a: 'a', b: 'a' })).toBe('/b must match pattern "^b$"');
  });

  it('does not take members of the prototype for those of a document', () => {
    const schema: Json = { properties: { constructor: { type: 'string' } }, required: ['toString'] };
    expect(faults(schema, {})).toBe("it must have required property 'toString'");
  });

  it('lists 20 faults, and the number of the others', () => {
    const text = faults(
      { items: { type: 'string' } },
      Array.from({ length: 30 }, (_, n) => n),
    );
    expect(text.split('; ')).toHaveLength(21);
    expect(text).toMatch(/; and 10 more$/);
  });

  it('reports the first fault of a document that is too large to collect all', () => {
    const schema: Json = { items: { allOf: Array.from({ length: 100 }, () => ({ type: 'string' })) } };
    expect(
      faults(
        schema,
        Array.from({ length: 30_000 }, () => 1),
      ),
    ).toBe('/0 must be string');
  });

  it('refuses a text of 64 KiB for which a backtracking pattern would take hours', () => {
    expect(faults({ pattern: '^(a+)+$' }, `${'a'.repeat(65_000)}!`)).toBe('it must match pattern "^(a+)+$"');
  });

  it('gives a format to texts of at most 2,048 characters', () => {
    const schema: Json = { format: 'uri' };
    expect(() => {
      requireValidDocument(schema, 'https://example.com/a');
    }).not.toThrow();
    expect(faults(schema, `https://example.com/${'a'.repeat(2048)}`)).toBe('it must match format "uri"');
  });

  it('validates a tree', () => {
    const schema: Json = {
      $ref: '#/$defs/node',
      $defs: {
        node: { type: 'object', properties: { n: { type: 'integer' }, children: { items: { $ref: '#/$defs/node' } } } },
      },
    };
    expect(() => {
      requireValidDocument(schema, { n: 1, children: [{ n: 2, children: [] }] });
    }).not.toThrow();
    expect(faults(schema, { n: 1, children: [{ n: 2, children: [{ n: 'x' }] }] })).toBe(
      '/children/0/children/0/n must be integer',
    );
  });

  it('is the same for equal schemas, and for one that is used again', () => {
    const schemas = [1, 2].map((n): Json => ({ type: 'object', required: [`field ${n}`] }));
    for (const schema of [...schemas, ...schemas, ...structuredClone(schemas)]) {
      const [name] = (schema as { required: string[] }).required;
      expect(faults(schema, {})).toBe(`it must have required property '${name}'`);
    }
  });
});

describe('SchemaCompiler', () => {
  const compiler = new SchemaCompiler();

  it('returns the violations of a schema, with formats that are not known ignored', () => {
    const check = compiler.compile({
      type: 'object',
      properties: { a: { type: 'integer', format: 'int32' }, b: { type: 'string' } },
    });
    expect(check?.({ a: 1 })).toEqual([]);
    expect(check?.({ a: 1.5, b: 2 })).toEqual([
      { pointer: '/a', rule: 'must be integer' },
      { pointer: '/b', rule: 'must be string' },
    ]);
  });

  it('returns nothing for a schema beyond the bounds, or one that is no schema', () => {
    for (const schema of [
      { pattern: '(a)\\1' },
      { $ref: '#' },
      { enum: ['x'.repeat(20_000)] },
      { type: 'text' },
      { minimum: 'x' },
    ]) {
      expect(compiler.compile(schema)).toBeUndefined();
    }
  });
});
