import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isObject, SchemaCompiler, type Json } from '#records-contract';
import { MetadataSchemas, uniqueName } from './metadata-schemas.js';

const schemaOf = (schema: unknown, components: Record<string, unknown> = {}) =>
  new MetadataSchemas(Object.entries(components)).schemaOf(schema);

describe('schemas of metadata', () => {
  it('keep what JSON Schema knows, and nothing else', () => {
    const known = {
      type: 'string',
      format: 'int64',
      enum: ['a'],
      maxLength: 3,
      title: 'T',
      description: 'D',
      default: 'a',
    };
    expect(schemaOf({ ...known, $id: 'X', $schema: 'y', xml: {}, example: 1, $defs: {}, maximum: 'x' })).toEqual(known);
    expect(schemaOf({ type: 'string', nullable: true })).toEqual({ type: ['string', 'null'] });
    expect(schemaOf({ exclusiveMinimum: true, minimum: 1 })).toEqual({ minimum: 1 });
    expect(schemaOf({ items: [{ type: 'number' }, {}] })).toEqual({ prefixItems: [{ type: 'number' }, {}] });
    expect(schemaOf({ anyOf: [], allOf: [{ not: false }], required: [] })).toEqual({ allOf: [{ not: false }] });
    for (const nothing of [undefined, null, 7, 'string', []]) expect(schemaOf(nothing)).toEqual({});
  });

  it('refer to definitions in each form of reference, and to no other', () => {
    const components = { Car: { $id: 'Car', properties: { owner: { $ref: 'Owner' } } }, Owner: { type: 'object' } };
    const schemas = new MetadataSchemas(Object.entries(components));
    const car = { $ref: '#/$defs/Car' };
    for (const $ref of ['#/components/schemas/Car', 'Car', 'components.schemas.json#/Car']) {
      expect(schemas.schemaOf({ $ref })).toEqual(car);
    }
    expect(schemas.schemaOf({ type: 'array', items: { $ref: '#/components/schemas/Bus' } })).toEqual({
      type: 'array',
      items: {},
    });
    expect(schemas.definitionsFor(car, 1000)).toEqual({
      Car: { properties: { owner: { $ref: '#/$defs/Owner' } } },
      Owner: { type: 'object' },
    });
    expect(schemas.definitionsFor({ type: 'string' }, 0)).toEqual({});
    expect(schemas.definitionsFor(car, 60)).toBeUndefined();
  });

  it('have names without collisions', () => {
    const components = { 'a/b': { const: 1 }, a_b: { const: 2 }, __proto: {}, 'ä b': {}, constructor: { const: 3 } };
    const schemas = new MetadataSchemas(Object.entries(components));
    expect([...schemas.definitions.keys()]).toEqual(['a_b', 'a_b_2', 'T__proto', 'T__b', 'constructor']);
    expect(schemas.schemaOf({ $ref: 'a/b' })).toEqual({ $ref: '#/$defs/a_b' });
    expect(schemas.schemaOf({ $ref: 'a_b' })).toEqual({ $ref: '#/$defs/a_b_2' });
    expect(uniqueName('', new Set(['T']))).toBe('T_2');
  });

  it('accept everything where they would apply themselves to the same value', () => {
    const { definitions } = new MetadataSchemas(
      Object.entries({
        Self: { $ref: 'Self' },
        Ring: { allOf: [{ $ref: 'Pool' }] },
        Pool: { anyOf: [{ type: 'string' }, { $ref: 'Ring' }] },
        Tree: { properties: { left: { $ref: 'Tree' } } },
        Uses: { $ref: 'Self' },
      }),
    );
    const isReplaced = (name: string) =>
      isObject(definitions.get(name)) && 'description' in (definitions.get(name) as object);
    expect([...definitions.keys()].filter(isReplaced)).toEqual(['Self', 'Ring', 'Pool']);
    expect(definitions.get('Tree')).toEqual({ properties: { left: { $ref: '#/$defs/Tree' } } });
  });

  it('are bounded in depth and number', () => {
    const deep = JSON.parse('{"items":'.repeat(100_000) + '{}' + '}'.repeat(100_000)) as unknown;
    expect(JSON.stringify(schemaOf(deep)).length).toBeLessThan(1000);
    expect(schemaOf({ const: deep, default: deep })).toEqual({});
    const wide = { anyOf: Array.from({ length: 50_000 }, () => ({ type: 'string' })) };
    expect(JSON.stringify(schemaOf(wide)).match(/string/g)?.length).toBeLessThan(10_001);
  });

  it('are schemas that a validator accepts or that exceed its bounds, whatever they are made of', () => {
    const keyword = fc.constantFrom(
      'type',
      'items',
      'properties',
      'anyOf',
      '$ref',
      'enum',
      'required',
      'pattern',
      'minimum',
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.dictionary(keyword, fc.oneof(fc.jsonValue(), tie('schema'), fc.array(tie('schema'))), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), schema, { maxKeys: 3 }), schema, (components, given) => {
        const schemas = new MetadataSchemas(Object.entries(components));
        const read = schemas.schemaOf(given) as Record<string, Json>;
        // Without patterns, which may be no valid ones, each is a schema.
        const whole = JSON.parse(
          JSON.stringify({ ...read, $defs: schemas.definitionsFor(read, 100_000) ?? {} }, (name, value: unknown) =>
            name === 'pattern' ? undefined : value,
          ),
        ) as Record<string, Json>;
        expect(new SchemaCompiler().compile(whole)).toBeDefined();
      }),
      { numRuns: 30 },
    );
  });
});
