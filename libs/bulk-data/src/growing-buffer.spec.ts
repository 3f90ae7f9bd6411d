import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GrowingBuffer } from './growing-buffer.js';

describe('a growing buffer', () => {
  it('returns what was added, in whatever pieces, and begins again', () => {
    const buffer = new GrowingBuffer();
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 700 })), (pieces) => {
        for (const piece of pieces) buffer.add(piece);
        const all = Buffer.concat(pieces);
        expect(buffer.length).toBe(all.length);
        expect(buffer.take()).toEqual(all);
        expect(buffer.length).toBe(0);
      }),
    );
  });

  it('does not change what it returned', () => {
    const buffer = new GrowingBuffer();
    buffer.add(Buffer.from('first'));
    const first = buffer.take();
    buffer.add(Buffer.from('other'));
    expect(String(first)).toBe('first');
  });
});
