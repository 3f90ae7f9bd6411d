import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { toOpenApi31 } from './openapi-3-1.js';

const convert = (schema: object): unknown => {
  const document = { components: { schemas: { It: schema } } } as unknown as OpenAPIObject;
  return toOpenApi31(document).components?.schemas?.['It'];
};

describe('toOpenApi31', () => {
  it.each([
    ['a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    ['a reference', { $ref: '#/a', nullable: true }, { anyOf: [{ $ref: '#/a' }, { type: 'null' }] }],
    // Null is no value of the reference: `type: [object, null]` next to it would still refuse it.
    [
      'a reference with a type and a description',
      { type: 'object', allOf: [{ $ref: '#/a' }], nullable: true, description: 'An asset.' },
      { anyOf: [{ type: 'object', allOf: [{ $ref: '#/a' }] }, { type: 'null' }], description: 'An asset.' },
    ],
    [
      'an enumeration',
      { type: 'string', enum: ['a'], nullable: true },
      { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    ],
    ['any value', { nullable: true, description: 'Any.' }, { description: 'Any.' }],
    [
      'a property called nullable',
      { properties: { nullable: { type: 'string' } } },
      { properties: { nullable: { type: 'string' } } },
    ],
    ['what is never null', { type: 'string', nullable: false }, { type: 'string' }],
  ])('adds null to %s', (_what, schema, expected) => {
    expect(convert(schema)).toEqual(expected);
  });
});
