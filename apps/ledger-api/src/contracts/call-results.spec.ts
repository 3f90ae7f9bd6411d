import { describe, expect, it } from '@jest/globals';
import { resultOf } from './call-results.js';

const shown = (text: string) => JSON.stringify(resultOf(Buffer.from(text)));
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('the result of a function', () => {
  it.each([
    '{"a":[1,true,null,"x"]}',
    '9007199254740993',
    '{"price":1.10,"n":123456789012345678901}',
    'null',
    'true',
    '"text"',
    '[]',
    ' \n7',
    nested(64),
  ])('of %s is its value as JSON', (text) => {
    const payload = JSON.stringify(text);
    expect(shown(text)).toBe(`{"payload":${payload},"encoding":"text","result":${text.trim()}}`);
  });

  it.each(['', 'hello', 'nothing', '{', '007', "{'a':1}", '{"a":1,"a":2}', nested(65), nested(100_000), '{"a":1}x'])(
    'is absent for %s',
    (text) => {
      expect(resultOf(Buffer.from(text))).toEqual({ payload: text, encoding: 'text' });
    },
  );

  it('is absent for bytes that are not UTF-8, and for more than 1 MiB', () => {
    expect(resultOf(Buffer.from('ff', 'hex'))).toEqual({ payload: '/w==', encoding: 'base64' });
    expect(resultOf(Buffer.from(`"${'x'.repeat(1024 * 1024)}"`))).not.toHaveProperty('result');
  });
});
