import { Buffer } from 'node:buffer';
import { sha256 } from './hashes.js';
import type { Version } from './key-read.js';
import { booleanField, bytesField, join, messageField, stringField, varint } from './proto-fields.js';

/** One key that a block changed: the last valid write of it. */
export interface StateUpdate {
  readonly namespace: string;
  /** The private collection whose hashed write it is; empty for the public state. */
  readonly collection: string;
  readonly key: Uint8Array;
  /** Undefined when the key was deleted. */
  readonly value: Uint8Array | undefined;
  readonly version: Version;
}

/** What one block adds to the chain of commit hashes. */
export interface CommitHashInput {
  /** The block's TRANSACTIONS_FILTER. */
  readonly validationCodes: Uint8Array;
  /** In any order; one a key. */
  readonly updates: readonly StateUpdate[];
  /** The commit hash of the block before; empty for block 1. */
  readonly previous: Uint8Array;
}

/**
 * The COMMIT_HASH of a block as every Fabric peer computes it (kvledger.addBlockCommitHash): SHA-256 of the number of
 * validation codes, the codes, the state updates in a deterministic form, and the commit hash before it. Block 0 has
 * none.
 */
export function commitHash(input: CommitHashInput): Buffer {
  const { validationCodes, updates, previous } = input;
  return sha256(join([varint(validationCodes.length), validationCodes, updatesBytes(updates), previous]));
}

/** Message `txmgr.Updates`; namespace and collection are named once, where they begin. */
function updatesBytes(updates: readonly StateUpdate[]): Buffer {
  let namespace = '';
  let collection = '';
  const writes = updates.toSorted(compareUpdates).map((update) => {
    const newNamespace = update.namespace !== namespace;
    const newCollection = newNamespace || update.collection !== collection;
    ({ namespace, collection } = update);
    return messageField(
      1,
      stringField(1, newNamespace ? namespace : ''),
      stringField(2, newCollection ? collection : ''),
      bytesField(3, update.key),
      booleanField(4, update.value === undefined),
      bytesField(5, update.value ?? Buffer.alloc(0)),
      messageField(6, orderPreserving(update.version.blockNumber), orderPreserving(update.version.transactionNumber)),
    );
  });
  return join(writes);
}

function compareUpdates(a: StateUpdate, b: StateUpdate): number {
  return (
    compareText(a.namespace, b.namespace) || compareText(a.collection, b.collection) || Buffer.compare(a.key, b.key)
  );
}

/** By the bytes of UTF-8, as Go sorts strings. */
function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** One byte for the number of bytes that follow, then the number, big-endian (util.EncodeOrderPreservingVarUint64). */
function orderPreserving(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([bytes.length, ...bytes]);
}
