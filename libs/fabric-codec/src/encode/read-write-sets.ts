import { Buffer } from 'node:buffer';
import { bytesField, join, messageField, stringField } from '../messages/proto-fields.js';
import { hashedSetField, partsOfSpace } from './hashed-sets.js';
import { compareText } from './hashes.js';
import { encodeKeyValueSet, type ReadWriteSet } from './read-write-set.js';

const NOTHING = Buffer.alloc(0);

/**
 * The reads and writes of a transaction by namespace: the chaincode's own, and those of the chaincodes that it invoked. Those of
 * a private collection are listed under its {@link collectionSpace}; keys are in hexadecimal there and in the order of the plain ones.
 */
export type ReadWriteSets = ReadonlyMap<string, ReadWriteSet>;

/**
 * Encodes a `rwset.TxReadWriteSet`, namespaces and keys in byte order of their UTF-8 as Fabric's peers sort them; empty when
 * nothing was read or written.
 */
export function encodeReadWriteSets(sets: ReadWriteSets): Buffer {
  const spaces = sets.size > 1 ? [...sets].sort(([a], [b]) => compareText(a, b)) : [...sets];
  const fields = new Map<string, Buffer[]>();
  for (const [space, set] of spaces) {
    const { namespace, collection } = partsOfSpace(space);
    const parts = fields.get(namespace) ?? [];
    parts.push(collection === '' ? bytesField(2, encodeKeyValueSet(set)) : hashedSetField(collection, set));
    fields.set(namespace, parts);
  }
  return join(
    Array.from(fields, ([namespace, parts]) => {
      return parts.every(({ length }) => length === 0) ? NOTHING : messageField(2, stringField(1, namespace), ...parts);
    }),
  );
}
