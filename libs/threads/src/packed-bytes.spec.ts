import { describe, expect, it } from '@jest/globals';
import { packBytes, packMap, unpackBytes, unpackMap } from './packed-bytes.js';

describe('packBytes', () => {
  it.each([[[]], [['']], [['a', '', 'bcd', 'é'.repeat(3000)]]])('is undone by unpackBytes: %#', (texts) => {
    const packed = structuredClone(packBytes(texts.map((text) => Buffer.from(text))));
    expect(unpackBytes(packed).map((part) => Buffer.from(part).toString())).toEqual(texts);
  });

  it('has a buffer of its own for the parts, which may be views of a pool', () => {
    const pool = Buffer.alloc(8192);
    expect(packBytes([pool.subarray(1, 3)]).buffer.byteLength).toBe(4 + 4 + 2);
  });
});

it('packMap is undone by unpackMap', () => {
  const map = new Map([
    ['a', Buffer.from('1')],
    ['b', Buffer.alloc(0)],
  ]);
  const unpacked = unpackMap(structuredClone(packMap(map)));
  expect(Array.from(unpacked, ([name, value]) => [name, Buffer.from(value).toString()])).toEqual([
    ['a', '1'],
    ['b', ''],
  ]);
});
