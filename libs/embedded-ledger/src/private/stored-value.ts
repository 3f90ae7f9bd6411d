import { sha256 } from '#fabric-codec/encode';

/** A key of a private collection. */
export interface PrivateKey {
  /** See `collectionSpace`. */
  readonly space: string;
  readonly key: string;
}

/** A collection to which a transaction writes values. */
export interface WrittenCollection extends Pick<PrivateKey, 'space'> {
  readonly transactionId: string;
  /** Number of the values. */
  readonly count: number;
  /** Whether ranges of keys are read. */
  readonly isListed: boolean;
}

/** A value of an in-flight transaction. */
export interface StoredValue {
  readonly space: string;
  /** Null for a key that is in no range. */
  readonly key: string | null;
  readonly keyHash: Buffer;
  readonly hash: Buffer;
  readonly value: Uint8Array;
  /** Identifies key and value. */
  readonly name: string;
  /** Whether the key had other values when it was stored: the state decides which is current. */
  hasOthers: boolean;
}

/**
 * Returns the values of a collection.
 * @param parts - keys and values, each value after its key
 */
export function storedValues(
  { space, isListed }: WrittenCollection,
  parts: readonly Uint8Array[],
): readonly StoredValue[] {
  const values: StoredValue[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [bytes, value] = parts.slice(index, index + 2) as [Uint8Array, Uint8Array];
    const [keyHash, hash] = [sha256(bytes), sha256(value)];
    const name = nameOf(space, keyHash.toString('hex'), hash.toString('hex'));
    const key = isListed ? Buffer.from(bytes).toString() : null;
    values.push({ space, key, keyHash, hash, value, name, hasOthers: false });
  }
  return values;
}

/** Returns the name of a value; hashes are hexadecimal. */
export function nameOf(space: string, keyHash: string, hash: string): string {
  return `${space}/${keyHash}/${hash}`;
}
