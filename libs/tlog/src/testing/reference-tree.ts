import { EMPTY_ROOT, nodeHash } from '../merkle.js';

// The definitions of RFC 6962, section 2.1, as they are written there: by recursion over all leaves.

type Hashes = readonly Uint8Array[];

/** The root of a tree with these leaf hashes: MTH. */
export function rootOf(leaves: Hashes): Uint8Array {
  if (leaves.length <= 1) return leaves[0] ?? EMPTY_ROOT;
  const [left, right] = split(leaves);
  return nodeHash(rootOf(left), rootOf(right));
}

/** The path from a leaf to the root: PATH. */
export function inclusionProof(leaves: Hashes, index: number): Uint8Array[] {
  if (leaves.length === 1) return [];
  const [left, right] = split(leaves);
  if (index < left.length) return [...inclusionProof(left, index), rootOf(right)];
  return [...inclusionProof(right, index - left.length), rootOf(left)];
}

/** The proof that a tree continues its first `size` leaves: PROOF. */
export function consistencyProof(leaves: Hashes, size: number): Uint8Array[] {
  return size === 0 ? [] : subproof(leaves, size, true);
}

function subproof(leaves: Hashes, size: number, isComplete: boolean): Uint8Array[] {
  if (size === leaves.length) return isComplete ? [] : [rootOf(leaves)];
  const [left, right] = split(leaves);
  if (size <= left.length) return [...subproof(left, size, isComplete), rootOf(right)];
  return [...subproof(right, size - left.length, false), rootOf(left)];
}

/** The largest complete tree that leaves at least one leaf, and the rest. */
function split(leaves: Hashes): [Hashes, Hashes] {
  const size = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return [leaves.slice(0, size), leaves.slice(size)];
}
