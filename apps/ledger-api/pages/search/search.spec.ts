import { describe, expect, it } from '@jest/globals';
import { candidatesOf } from './search.js';

const HASH = 'AB'.repeat(32);

describe('candidatesOf', () => {
  it.each([
    [' car-7 ', { text: 'car-7' }],
    ['12', { text: '12', block: 12 }],
    ['#12', { text: '#12', block: 12 }],
    ['-1', { text: '-1' }],
    ['1234567890123456', { text: '1234567890123456' }],
    [HASH, { text: HASH, transaction: 'ab'.repeat(32) }],
    [`0x${HASH}`, { text: `0x${HASH}`, transaction: 'ab'.repeat(32) }],
    [`${HASH}0`, { text: `${HASH}0` }],
  ])('parses %j', (input, candidates) => {
    expect(candidatesOf(input)).toEqual(candidates);
  });
});
