import { describe, expect, it } from '@jest/globals';
import { packBytes, unpackBytes } from './packed-bytes.js';

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
