import { describe, expect, it } from '@jest/globals';
import { emptyValue } from '../records/document-form.js';
import { formOf } from '../records/schema-form.js';
import { argumentsText, callNameOf, shownPayload, signatureOf, waysFor } from './contract-functions.js';

describe('a function of a contract', () => {
  const read = { name: 'Read', contract: 'Cars' };

  it('is shown with its parameters, as far as they are known', () => {
    expect(signatureOf(read)).toBe('Read(…)');
    expect(signatureOf({ ...read, parameters: [] })).toBe('Read()');
    expect(signatureOf({ ...read, parameters: [{ name: 'id', type: 'string' }, { name: 'car' }] })).toBe(
      'Read(id: string, car)',
    );
  });

  it('is called with the name of its contract only if there are several contracts', () => {
    expect(callNameOf(read, [read, { ...read, name: 'Write' }])).toBe('Read');
    expect(callNameOf(read, [read, { ...read, contract: 'Owners' }])).toBe('Cars:Read');
  });
});

describe('shownPayload', () => {
  it('indents JSON that it would not change, and shows other results unchanged', () => {
    const shown = (payload: string) => shownPayload({ payload, encoding: 'text' });
    expect(shown('{"ID":"a","Size":5}')).toBe('{\n  "ID": "a",\n  "Size": 5\n}');
    for (const text of ['', 'true', '[1', '{"n":12345678901234567890}', '{"a":1,"a":2}', '{"n":1.0}'])
      expect(shown(text)).toBe(text);
    expect(shownPayload({ payload: '/w==', encoding: 'base64' })).toBe('base64(/w==)');
  });
});

describe('waysFor', () => {
  it('returns the usual way first, of those that the caller may use', () => {
    expect(waysFor('admin', true)).toEqual(['evaluate', 'submit']);
    expect(waysFor('writer', false, ['evaluate', 'submit'])).toEqual(['submit', 'evaluate']);
    expect(waysFor('reader', false)).toEqual(['evaluate']);
    expect(waysFor('admin', false, [])).toEqual([]);
  });
});

describe('argumentsText', () => {
  const properties = {
    id: { type: 'string' },
    size: { type: 'number' },
    tags: { type: 'array', items: { type: 'string' } },
  };
  const form = formOf({ type: 'object', required: Object.keys(properties), properties });

  it('has empty texts, and the digits of numbers as they were typed', () => {
    const faults = new Map<string, string>();
    expect(argumentsText(form, ['', '12345678901234567890', ['a']], faults)).toBe(
      '{"id":"","size":12345678901234567890,"tags":["a"]}',
    );
    expect(argumentsText(form, emptyValue(form), faults)).toBe('{"id":"","tags":[]}');
    expect(faults).toEqual(new Map());
    argumentsText(form, ['', 'many', []], faults);
    expect([...faults.keys()]).toEqual(['/size']);
  });

  it('is an empty object for a function without parameters', () => {
    const none = formOf({ type: 'object', properties: {} });
    expect(argumentsText(none, emptyValue(none), new Map())).toBe('{}');
  });
});
