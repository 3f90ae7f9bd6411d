import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { RecordType } from '../records/record.dto.js';
import { TypedDocument } from './typed-document.js';

const DOCUMENT: OpenAPIObject = { openapi: '3.0.0', info: { title: 'API', version: '1' }, paths: {}, components: {} };

const type = (name: string, schema: object): RecordType =>
  ({ name, mode: 'append', schema, indexes: [] }) as unknown as RecordType;

function documents(): TypedDocument {
  const typed = new TypedDocument();
  typed.use({ generate: () => DOCUMENT, serversFor: () => [] });
  return typed;
}

describe('TypedDocument', () => {
  it('defect: converted the document again for each request', () => {
    const typed = documents();
    const first = typed.withTypes([type('a', { type: 'object' })]);
    expect(typed.withTypes([type('a', { type: 'object' })])).toBe(first);
  });

  it('has the types of each request, in whatever order they are requested', () => {
    const typed = documents();
    const names = (...types: readonly RecordType[]) => Object.keys(typed.withTypes(types).components?.schemas ?? {});
    expect(names(type('a', {}))).toEqual(['records.a']);
    expect(names(type('a', {}), type('b', {}))).toEqual(['records.a', 'records.b']);
    expect(names()).toEqual([]);
    expect(names(type('b', {}))).toEqual(['records.b']);
    const changed = typed.withTypes([type('b', { required: ['x'] })]);
    expect(changed.components?.schemas).toEqual({ 'records.b': { title: 'b', required: ['x'] } });
    expect([changed.openapi, typed.withTypes([]).openapi]).toEqual(['3.1.0', '3.0.0']);
  });
});
