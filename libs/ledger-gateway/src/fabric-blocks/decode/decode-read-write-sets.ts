import type { KeyWrite } from '../encode/read-write-set.js';
import { decodeMessage, decoding } from '../messages/decode-message.js';
import { HashedRWSet, KVRWSet, TxReadWriteSet } from '../messages/fabric-messages.js';
import type { Decoded } from '../messages/schema.js';

/** A write of a private key; without a value hash it is deleted. */
export interface HashedWrite {
  readonly keyHash: Uint8Array;
  readonly valueHash: Uint8Array | undefined;
}

/** The reads and writes of a transaction in one private collection, whose keys are known by their hashes only. */
export interface CollectionSets extends Omit<Decoded<typeof HashedRWSet>, 'hashedWrites'> {
  readonly collection: string;
  readonly hashedWrites: readonly HashedWrite[];
}

/**
 * The reads and writes of a transaction in the namespace of one chaincode. Metadata writes give keys an endorsement policy of
 * their own.
 */
export interface NamespaceSets extends Omit<Decoded<typeof KVRWSet>, 'writes'> {
  readonly namespace: string;
  readonly writes: readonly KeyWrite[];
  readonly collections: readonly CollectionSets[];
}

/**
 * Decodes the `results` of an action, a `rwset.TxReadWriteSet`.
 * @throws `LEDGER.DAMAGED` when the bytes are not one
 */
export function decodeReadWriteSets(results: Uint8Array): readonly NamespaceSets[] {
  return decoding('read and write set', () =>
    decodeMessage(TxReadWriteSet, results).nsRwset.map(({ namespace, rwset, collectionHashedRwset }) => {
      const { writes, ...others } = decodeMessage(KVRWSet, rwset);
      return {
        ...others,
        namespace,
        writes: writes.map(({ key, isDelete, value }) => ({ key, value: writtenValue(isDelete, value) })),
        collections: collectionHashedRwset.map(collectionSets),
      };
    }),
  );
}

function collectionSets({
  collectionName: collection,
  hashedRwset,
}: Readonly<{ collectionName: string; hashedRwset: Uint8Array }>): CollectionSets {
  const { hashedWrites: writes, ...others } = decodeMessage(HashedRWSet, hashedRwset);
  const hashedWrites = writes.map(({ keyHash, isDelete, valueHash }) => ({
    keyHash,
    valueHash: writtenValue(isDelete, valueHash),
  }));
  return { ...others, collection, hashedWrites };
}

/** Fabric treats a write of nothing as a deletion (rwsetutil.IsKVWriteDelete). */
function writtenValue(isDelete: boolean, value: Uint8Array): Uint8Array | undefined {
  return isDelete || value.length === 0 ? undefined : value;
}
