import { EMPTY_ROOT, nodeHash } from './merkle.js';

/** Receives each node whose subtree is complete, with its level; leaves have level 0. */
export type NodeListener = (level: number, hash: Uint8Array) => void;

/** A tree that grows at its end, of which only the roots of the largest complete subtrees are in memory. */
export class CompactRange {
  readonly #onNode: NodeListener;
  /** From left to right: one for each bit of the size, from the highest one on. */
  readonly #roots: Uint8Array[];
  #size: number;

  /**
   * @param start - the size and the roots of a tree that is continued, from left to right
   * @param onNode - is called for each node that an append completes, first for the leaf
   */
  constructor(
    start: { readonly size: number; readonly roots: readonly Uint8Array[] } = { size: 0, roots: [] },
    onNode: NodeListener = () => undefined,
  ) {
    this.#size = start.size;
    this.#roots = [...start.roots];
    this.#onNode = onNode;
  }

  /** The number of leaves. */
  get size(): number {
    return this.#size;
  }

  append(leaf: Uint8Array): void {
    let hash = leaf;
    let level = 0;
    this.#onNode(level, hash);
    for (let index = this.#size; index % 2 === 1; index = (index - 1) / 2) {
      const left = this.#roots.pop() ?? EMPTY_ROOT;
      hash = nodeHash(left, hash);
      this.#onNode(++level, hash);
    }
    this.#roots.push(hash);
    this.#size++;
  }

  /** Returns the root of the tree. */
  root(): Uint8Array {
    return this.#roots.reduceRight<Uint8Array | undefined>(rightToLeft, undefined) ?? EMPTY_ROOT;
  }
}

function rightToLeft(right: Uint8Array | undefined, left: Uint8Array): Uint8Array {
  return right === undefined ? left : nodeHash(left, right);
}

/** Returns the root of a tree with these hashes of leaves: MTH of RFC 6962. */
export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  const range = new CompactRange();
  for (const leaf of leaves) range.append(leaf);
  return range.root();
}
