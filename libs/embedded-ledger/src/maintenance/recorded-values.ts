import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeActions, decodeBlock, decodeEnvelope, decodeReadWriteSets, hex } from '#fabric-codec';
import { collectionSpace, type Version } from '#fabric-codec/encode';
import { TxValidationCode } from '#fabric-codec/messages';
import { prepareRows } from '../store/store-reader.js';
import { type ChainSource, openBlock } from './chain-source.js';

const TABLE = `
  CREATE TABLE value_places (
    namespace TEXT NOT NULL,
    key BLOB NOT NULL,
    block INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (namespace, key)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * The values of keys that get new metadata, which the commit hash covers. They are read from the block that wrote them, so
 * that a verification stores no values. New metadata change the version of a key: from then on, its place is stored.
 */
export class RecordedValues {
  readonly #chain: ChainSource;
  readonly #get: StatementSync;
  readonly #set: StatementSync;

  /** @param db - a table is created in it */
  constructor(db: DatabaseSync, chain: ChainSource) {
    db.exec(TABLE);
    this.#chain = chain;
    this.#get = prepareRows(db, 'SELECT block, position FROM value_places WHERE namespace = ? AND key = ?');
    this.#set = db.prepare('INSERT OR REPLACE INTO value_places VALUES (?, ?, ?, ?)');
  }

  /**
   * Returns the value of a key, or the hash of a private one.
   * @param version - the present one, of its last write or its last metadata
   */
  find(namespace: string, key: string, version: Version): Uint8Array | undefined {
    const found = this.#lastWrite(namespace, key, version);
    if (found !== undefined) {
      this.#set.run(namespace, Buffer.from(key), version.blockNumber, found.position);
      return found.value;
    }
    const [blockNumber, transactionNumber] = (this.#get.get(namespace, Buffer.from(key)) ?? []) as unknown as number[];
    if (blockNumber === undefined || transactionNumber === undefined) return undefined;
    return this.#lastWrite(namespace, key, { blockNumber, transactionNumber })?.value;
  }

  /** Returns the last write of a key in a block up to a transaction; undefined when there are only new metadata. */
  #lastWrite(
    namespace: string,
    key: string,
    { blockNumber, transactionNumber }: Version,
  ): { readonly position: number; readonly value: Uint8Array } | undefined {
    const { envelopes, validationCodes } = decodeBlock(openBlock(this.#chain.raw(blockNumber)).bytes);
    for (let position = transactionNumber; position >= 0; position--) {
      if (validationCodes[position] !== TxValidationCode.VALID) continue;
      const value = writtenBy(envelopes[position] ?? new Uint8Array(), namespace, key);
      if (value !== undefined) return { position, value };
    }
    return undefined;
  }
}

/** Returns what a transaction writes under a key. */
function writtenBy(envelope: Uint8Array, name: string, key: string): Uint8Array | undefined {
  const [action] = decodeActions(decodeEnvelope(envelope).data);
  if (action === undefined) return undefined;
  for (const { namespace, writes, collections } of decodeReadWriteSets(action.results)) {
    if (namespace === name) return writes.find((write) => write.key === key)?.value;
    const set = collections.find(({ collection }) => collectionSpace(namespace, collection) === name);
    if (set !== undefined) return set.hashedWrites.find(({ keyHash }) => hex(keyHash) === key)?.valueHash;
  }
  return undefined;
}
