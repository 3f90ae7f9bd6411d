import { rootOf } from './compact-range.js';
import { EMPTY_ROOT, isPowerOfTwo, nodeHash } from './merkle.js';

// The maker's side of RFC 6962, sections 2.1.1 and 2.1.2: paths and proofs from the nodes of a tree.

/** Returns the root of a complete subtree: the node with that index among those of its level. Leaves have level 0. */
export type NodeReader = (level: number, index: number) => Uint8Array;

/** The leaves from `start` up to `end`, which is not among them. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Returns the root of the first leaves of a tree. */
export function rootAt(node: NodeReader, size: number): Uint8Array {
  return size === 0 ? EMPTY_ROOT : rangeRoot(node, { start: 0, end: size });
}

/** Returns the roots of the largest complete subtrees of a tree's first leaves, from left to right. */
export function completeRoots(node: NodeReader, size: number): Uint8Array[] {
  const roots: Uint8Array[] = [];
  for (let range: Range = { start: 0, end: size }; range.start < size;) {
    const [left, right] = isPowerOfTwo(range.end - range.start) ? [range, { start: size, end: size }] : split(range);
    roots.push(rangeRoot(node, left));
    range = right;
  }
  return roots;
}

/** Returns the path from a leaf to the root of a tree of that size, from the leaf on: PATH. */
export function inclusionProof(node: NodeReader, index: number, size: number): Uint8Array[] {
  if (index < 0 || index >= size) throw new RangeError(`a tree of size ${size} has no leaf ${index}`);
  const path: Uint8Array[] = [];
  for (let range: Range = { start: 0, end: size }; range.end - range.start > 1;) {
    const [left, right] = split(range);
    const isLeft = index < right.start;
    path.unshift(rangeRoot(node, isLeft ? right : left));
    range = isLeft ? left : right;
  }
  return path;
}

/** Returns the proof that a tree of size `to` has the leaves of that of size `from` as its first ones: PROOF. */
export function consistencyProof(node: NodeReader, from: number, to: number): Uint8Array[] {
  if (from < 0 || from > to) throw new RangeError(`a tree of size ${to} does not continue one of size ${from}`);
  if (from === 0 || from === to) return [];
  const proof: Uint8Array[] = [];
  let range: Range = { start: 0, end: to };
  while (range.end !== from) {
    const [left, right] = split(range);
    const isLeft = from <= left.end;
    proof.unshift(rangeRoot(node, isLeft ? right : left));
    range = isLeft ? left : right;
  }
  // A subtree from the first leaf on is the smaller tree itself, whose root a verifier has.
  return range.start === 0 ? proof : [rangeRoot(node, range), ...proof];
}

/** Returns the inclusion proof of a leaf of a small tree, from the hashes of all its leaves. */
export function pathAmong(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  const node: NodeReader = (level, number) => rootOf(leaves.slice(number * 2 ** level, (number + 1) * 2 ** level));
  return inclusionProof(node, index, leaves.length);
}

function rangeRoot(node: NodeReader, range: Range): Uint8Array {
  const count = range.end - range.start;
  if (isPowerOfTwo(count)) return node(Math.round(Math.log2(count)), range.start / count);
  const [left, right] = split(range);
  return nodeHash(rangeRoot(node, left), rangeRoot(node, right));
}

/** Splits a range at the largest power of two that leaves at least one leaf to the right. */
function split({ start, end }: Range): [Range, Range] {
  let count = 1;
  while (count * 2 < end - start) count *= 2;
  return [
    { start, end: start + count },
    { start: start + count, end },
  ];
}
