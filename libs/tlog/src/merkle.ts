import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

// The Merkle tree of RFC 6962, section 2.1, which RFC 9162 describes more precisely. Sizes and indexes are exact up to 2^53 - 1.

/** Bytes of a hash. */
export const HASH_BYTES = 32;

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Uint8Array = sha256(new Uint8Array());

/** The input of {@link nodeHash}, which is called for every block. */
const NODE = Buffer.concat([Buffer.from([0x01]), Buffer.alloc(2 * HASH_BYTES)]);

/** Returns the hash of a leaf with this content. */
export function leafHash(entry: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([Buffer.alloc(1), entry]));
}

/** Returns the hash of the node over two others. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  NODE.set(left, 1);
  NODE.set(right, 1 + HASH_BYTES);
  return sha256(NODE);
}

/** Computes a hash through a string of its bytes, which halves the cost: the result is in Node's buffer pool. */
function sha256(bytes: Uint8Array): Uint8Array {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'latin1');
}

/** Returns whether two hashes are equal. */
export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** The number of leaves of a tree, and its root. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/**
 * Computes the root of a tree from one of its leaves (RFC 9162, section 2.1.3.2).
 * @param path - the hashes of the siblings, from the leaf's on
 * @returns undefined when the path is not that of a leaf with this index in a tree of this size
 */
export function rootFromPath(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Uint8Array | undefined {
  if (!isCount(index) || !isCount(size) || index >= size || !path.every(isHash)) return undefined;
  const walk = new Walk(index, size - 1);
  let node = leaf;
  for (const hash of path) {
    if (walk.isAtRoot) return undefined;
    node = walk.isOnTheRight ? nodeHash(hash, node) : nodeHash(node, hash);
    walk.climb();
  }
  return walk.isAtRoot ? node : undefined;
}

/** Returns whether a path shows that a tree has a leaf with this hash at an index. */
export function isIncluded(leaf: Uint8Array, index: number, head: TreeHead, path: readonly Uint8Array[]): boolean {
  const root = rootFromPath(leaf, index, head.size, path);
  return root !== undefined && isSameHash(root, head.root);
}

/** Returns whether a proof shows that the leaves of one tree are the first of another's (RFC 9162, section 2.1.4.2). */
export function isConsistent(before: TreeHead, after: TreeHead, proof: readonly Uint8Array[]): boolean {
  if (!isCount(before.size) || !isCount(after.size) || before.size > after.size || !proof.every(isHash)) return false;
  if (before.size === after.size) return proof.length === 0 && isSameHash(before.root, after.root);
  if (before.size === 0) return proof.length === 0 && isSameHash(before.root, EMPTY_ROOT);
  return hasGrown(before, after, proof);
}

function hasGrown(before: TreeHead, after: TreeHead, proof: readonly Uint8Array[]): boolean {
  // The root of a complete tree is also a node of the larger one, so that the proof leaves it out.
  const [start, ...path] = isPowerOfTwo(before.size) ? [before.root, ...proof] : proof;
  if (start === undefined) return false;
  const walk = new Walk(before.size - 1, after.size - 1);
  walk.skipRightEdges();
  let [old, now] = [start, start];
  for (const hash of path) {
    if (walk.isAtRoot) return false;
    if (walk.isOnTheRight) [old, now] = [nodeHash(hash, old), nodeHash(hash, now)];
    else now = nodeHash(now, hash);
    walk.climb();
  }
  return walk.isAtRoot && isSameHash(old, before.root) && isSameHash(now, after.root);
}

/** The way from a node to the root of a tree: `fn` and `sn` of RFC 9162. */
class Walk {
  #index: number;
  /** The last index of the present level. */
  #last: number;

  constructor(index: number, last: number) {
    this.#index = index;
    this.#last = last;
  }

  get isAtRoot(): boolean {
    return this.#last === 0;
  }

  /** Whether the next sibling is to the left: so it is of a right child, and of the last node of a level that has no sibling. */
  get isOnTheRight(): boolean {
    return isOdd(this.#index) || this.#index === this.#last;
  }

  /** Goes up to the parent. A last node without a sibling is its own parent in the levels up to the next right child. */
  climb(): void {
    if (this.isOnTheRight) while (!isOdd(this.#index) && this.#index !== 0) this.#up();
    this.#up();
  }

  /** Goes up while the node is a right child: the trees below have the same nodes. */
  skipRightEdges(): void {
    while (isOdd(this.#index)) this.#up();
  }

  #up(): void {
    this.#index = Math.floor(this.#index / 2);
    this.#last = Math.floor(this.#last / 2);
  }
}

function isHash(bytes: Uint8Array): boolean {
  return bytes.length === HASH_BYTES;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isOdd(value: number): boolean {
  return value % 2 === 1;
}

/** Returns whether a number, 1 or more, is a power of two. Bitwise operators end at 2^31. */
export function isPowerOfTwo(value: number): boolean {
  return value.toString(2).lastIndexOf('1') === 0;
}
