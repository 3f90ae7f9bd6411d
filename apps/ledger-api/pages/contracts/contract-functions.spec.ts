import { describe, expect, it } from '@jest/globals';
import { callNameOf, shownPayload, signatureOf } from './contract-functions.js';

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
