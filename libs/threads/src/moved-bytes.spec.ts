import { describe, expect, it } from '@jest/globals';
import { moveBytes, movedBuffers } from './moved-bytes.js';

describe('moveBytes', () => {
  it('marks what a message moves, and nothing else', () => {
    const [moved, cloned] = [Uint8Array.of(1, 2), Uint8Array.of(3)];
    const message = [moveBytes(moved), cloned, 'text', null, undefined, 4];
    const received = structuredClone(message, { transfer: [...movedBuffers(message)] });
    expect(received).toEqual([Uint8Array.of(1, 2), Uint8Array.of(3), 'text', null, undefined, 4]);
    expect([moved.length, cloned.length]).toEqual([0, 1]);
  });
});
