import { describe, expect, it } from '@jest/globals';
import { isConsistent, leafHash, type TreeHead } from './merkle.js';
import { consistencyProof, rootOf } from './testing/reference-tree.js';

const leaves = Array.from({ length: 70 }, (_, index) => leafHash(Buffer.from(`entry ${index}`)));
const head = (size: number): TreeHead => ({ size, root: rootOf(leaves.slice(0, size)) });

/** Every proof that differs from a good one: a hash changed, missing, added, or in another place. */
function mutations(proof: readonly Uint8Array[]): (readonly Uint8Array[])[] {
  const other = leafHash(Buffer.from('other'));
  return [
    [...proof, other],
    [other, ...proof],
    ...proof.map((_, index) => proof.toSpliced(index, 1)),
    ...proof.map((_, index) => proof.with(index, other)),
    ...proof.slice(1).map((hash, index) => proof.with(index, hash).with(index + 1, proof[index]!)),
  ];
}

describe('a proof that a tree has grown', () => {
  it('is accepted for every pair of sizes', () => {
    for (let after = 0; after <= leaves.length; after++) {
      for (let before = 0; before <= after; before++) {
        const proof = consistencyProof(leaves.slice(0, after), before);
        expect(isConsistent(head(before), head(after), proof)).toBe(true);
        if (before < after) expect(isConsistent(head(after), head(before), proof)).toBe(false);
      }
    }
  });

  it('is refused with any change, and for any other root', () => {
    for (const [before, after] of [
      [1, 2],
      [3, 7],
      [4, 8],
      [6, 8],
      [64, 70],
      [69, 70],
      [0, 5],
      [5, 5],
    ] as const) {
      const proof = consistencyProof(leaves.slice(0, after), before);
      for (const changed of mutations(proof)) expect(isConsistent(head(before), head(after), changed)).toBe(false);
      const other = leafHash(Buffer.from('fork'));
      expect(isConsistent({ size: before, root: other }, head(after), proof)).toBe(false);
      expect(isConsistent(head(before), { size: after, root: other }, proof)).toBe(before === 0);
    }
  });

  it('is refused for what is no size', () => {
    expect(isConsistent({ ...head(3), size: 1.5 }, head(7), [])).toBe(false);
    expect(isConsistent(head(3), { ...head(7), size: 2 ** 53 }, [])).toBe(false);
  });
});
