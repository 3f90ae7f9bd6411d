import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { KeyRead, Version } from '#fabric-codec/encode';
import { TxValidationCode } from '#fabric-codec/messages';
import {
  type BlockContent,
  ChainVerifier,
  ChannelTrust,
  type ExaminedTransaction,
  type ReplayState,
  type VerifiedHead,
} from '#fabric-codec/verify';
import { damaged } from '#ledger-gateway';
import { CompactRange, isSameHash } from '#tlog/verify';
import type { BlocksToLive } from '../store/blocks-to-live.js';
import type { LedgerNames } from '../store/data-directory.js';
import { DerivedTables, recordedCall, stateWrites, type RecordedWrites } from '../store/derived-tables.js';
import { prepareRows } from '../store/store-reader.js';
import type { ChainSource } from './chain-source.js';
import type { ExaminedSource } from './examine-chain.js';
import { RecordedValues } from './recorded-values.js';
import { PartsCounter, type ChainPins, type CheckedParts, type FindingList } from './report.js';

const ORDERERS_COPY =
  'it has neither validation codes nor a commit hash, as orderers store blocks. Fetch the blocks from a peer: ' +
  'peer channel fetch without --orderer';

/** Returns whether a block is as an orderer made it: a peer adds the validation codes and the commit hash. */
function isUnvalidated({ transactions, validationCodes, commitHash }: BlockContent): boolean {
  return transactions.length > 0 && validationCodes.length === 0 && commitHash.length === 0;
}

/** Options of a {@link ChainCheck}. */
export interface ChainCheckOptions {
  readonly pins: ChainPins;
  readonly findings: FindingList;
  /** Stores the replayed state: that of any channel, or the tables that follow from the chain of an embedded ledger. */
  readonly state: ChannelState | DerivedTables;
  /** For the chain of an embedded ledger. */
  readonly names?: ChainNames | undefined;
}

/** The names of a chain in a manifest. */
export interface ChainNames extends LedgerNames {
  /** Hexadecimal hash of the newest block, in the manifest of an export. */
  readonly currentBlockHash?: string;
  /** See {@link DerivedTables}. */
  readonly blockToLive?: BlocksToLive;
}

/** Verifies a chain block by block. For an embedded ledger it also fills the derived tables. */
export class ChainCheck {
  readonly #verifier: ChainVerifier;
  readonly #options: ChainCheckOptions;
  readonly #findings: FindingList;
  readonly #parts = new PartsCounter();
  /** The tree over the blocks, if it is compared with a checkpoint. */
  readonly #tree = new CompactRange();
  #hasCheckpoint = false;

  constructor(options: ChainCheckOptions) {
    const { pins, findings, state } = options;
    this.#options = options;
    this.#findings = findings;
    this.#verifier = new ChainVerifier({ state, genesisHash: pins.genesis });
  }

  get head(): VerifiedHead {
    return this.#verifier.head;
  }

  /** The number of transactions verified, including configurations. */
  get transactions(): number {
    return this.#parts.transactions;
  }

  /** Whether the first blocks are those of the checkpoint. */
  get hasCheckpoint(): boolean {
    return this.#hasCheckpoint;
  }

  get checked(): CheckedParts {
    return this.#parts.parts((chaincode) => this.#verifier.policyOf(chaincode));
  }

  /**
   * Verifies the next block.
   * @returns false when it cannot be read: the blocks after it cannot be verified then
   */
  add(examined: ExaminedSource): boolean {
    const number = this.#verifier.head.height;
    const where = `block ${number}`;
    if ('damage' in examined) {
      this.#findings.add(where, 'RECORD', examined.damage);
      return false;
    }
    const { content } = examined.block;
    if (this.#options.names === undefined && content !== undefined && isUnvalidated(content)) {
      this.#findings.add(where, 'UNCHECKED', ORDERERS_COPY);
      return false;
    }
    for (const { check, transaction, what } of this.#verifier.add(examined.block)) {
      this.#findings.add(transaction === undefined ? where : `${where}, transaction ${transaction}`, check, what);
    }
    const isRead = this.#findings.attempt(where, () => {
      this.#record(number, content);
      this.#addLeaf(examined.leaf);
      return true;
    });
    const { hash } = this.head;
    if (isRead === true && (examined.storedHash ?? hash) !== hash) {
      this.#findings.add(where, 'RECORD', `it is stored under the hash ${examined.storedHash}`);
    }
    return isRead === true;
  }

  /** Checks after the last block that the chain ends as expected. */
  end(): void {
    const { names, pins } = this.#options;
    const { height, hash } = this.head;
    if (pins.expect !== undefined && height < pins.expect.height) {
      this.#findings.add('the chain', 'PIN', `it has ${height} blocks; ${pins.expect.height} were expected`);
    }
    if (pins.checkpoint !== undefined && this.#tree.size < pins.checkpoint.size) {
      const what = `it has ${this.#tree.size} readable blocks; the checkpoint confirms ${pins.checkpoint.size}`;
      this.#findings.add('the chain', 'PIN', what);
    }
    if ((names?.currentBlockHash ?? hash) === hash) return;
    const what = `it names ${names?.currentBlockHash} as the newest block, which is ${hash}`;
    this.#findings.add('the manifest', 'MANIFEST', what);
  }

  #record(number: number, content: BlockContent | undefined): void {
    if (content === undefined) throw damaged('The bytes are not a block of Hyperledger Fabric.');
    const { names, state } = this.#options;
    if (names !== undefined && number === 0) this.#checkNames(content, names);
    if (state instanceof DerivedTables) {
      const { transactions } = content;
      const writes = stateWrites(transactions.map(recordedWrites));
      const calls = transactions.flatMap(({ summary }) => (summary ? [recordedCall(summary, state.creators)] : []));
      state.add(number, writes, calls);
    }
    this.#parts.add(content);
    this.#checkPin();
  }

  #checkNames({ transactions: [first] }: BlockContent, { channel, mspId }: LedgerNames): void {
    const trust = ChannelTrust.fromEnvelope(first?.configuration ?? new Uint8Array());
    const add = (what: string): void => {
      this.#findings.add('the manifest', 'MANIFEST', what);
    };
    if (trust.channelId !== channel) add(`it names the channel "${channel}"; block 0 is of "${trust.channelId}"`);
    if (trust.applicationGroup(mspId) === undefined) {
      add(`it names the MSP "${mspId}", which is not in the channel`);
    }
  }

  /** Compares the tree with the checkpoint as soon as it has its size. */
  #addLeaf(leaf: Uint8Array | undefined): void {
    const { checkpoint } = this.#options.pins;
    if (leaf === undefined || checkpoint === undefined || this.#tree.size === checkpoint.size) return;
    this.#tree.append(leaf);
    if (this.#tree.size !== checkpoint.size) return;
    this.#hasCheckpoint = isSameHash(this.#tree.root(), checkpoint.root);
    if (!this.#hasCheckpoint) {
      this.#findings.add('the chain', 'PIN', `its first ${checkpoint.size} blocks are not those of the checkpoint`);
    }
  }

  #checkPin(): void {
    const { expect } = this.#options.pins;
    const { height, hash } = this.head;
    if (height !== expect?.height || hash === expect.hash) return;
    this.#findings.add(`block ${height - 1}`, 'PIN', `its hash is ${hash}; ${expect.hash} was expected`);
  }
}

/** @throws `LEDGER.DAMAGED` when the transaction cannot be decoded far enough for its records */
function recordedWrites({ code, transactionId, envelope, configuration }: ExaminedTransaction): RecordedWrites {
  if (transactionId === undefined) {
    throw damaged('The bytes are not a transaction envelope of Hyperledger Fabric.');
  }
  const isCall = code === TxValidationCode.VALID && envelope !== undefined && configuration === undefined;
  if (!isCall) return { transactionId, namespaces: [] };
  if (envelope.call === undefined) throw damaged('The bytes are not a call of a chaincode of Hyperledger Fabric.');
  return { transactionId, namespaces: envelope.call.namespaces };
}

const CHANNEL_TABLES = `
  CREATE TABLE versions (
    namespace TEXT NOT NULL,
    key BLOB NOT NULL,
    block INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (namespace, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE seen (id TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
`;

/**
 * The replayed state of a Fabric channel with any number of chaincodes and private collections. It is stored in its own
 * tables, so that a chain of any length is verified in constant memory. Keys are bytes: those of private data are hashes.
 */
export class ChannelState implements ReplayState {
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #delete: StatementSync;
  readonly #range: StatementSync;
  readonly #see: StatementSync;
  readonly #values: RecordedValues;

  /**
   * @param db - the tables are created in it
   * @param chain - the blocks that are replayed, for the values of keys with new metadata
   */
  constructor(db: DatabaseSync, chain: ChainSource) {
    db.exec(CHANNEL_TABLES);
    this.#values = new RecordedValues(db, chain);
    this.#get = prepareRows(db, 'SELECT block, position FROM versions WHERE namespace = ? AND key = ?');
    this.#set = db.prepare('INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM versions WHERE namespace = ? AND key = ?');
    const range = "namespace = ?1 AND key >= ?2 AND (?3 = x'' OR key < ?3) ORDER BY key";
    this.#range = prepareRows(db, `SELECT key, block, position FROM versions WHERE ${range}`);
    this.#see = db.prepare('INSERT OR IGNORE INTO seen VALUES (?)');
  }

  version(namespace: string, key: string): Version | undefined {
    const row = this.#get.get(namespace, Buffer.from(key)) as unknown as [number, number] | undefined;
    return row && { blockNumber: row[0], transactionNumber: row[1] };
  }

  value(namespace: string, key: string): Uint8Array | undefined {
    const version = this.version(namespace, key);
    return version && this.#values.find(namespace, key, version);
  }

  setVersion(namespace: string, key: string, version: Version | undefined): void {
    if (version === undefined) this.#delete.run(namespace, Buffer.from(key));
    else this.#set.run(namespace, Buffer.from(key), version.blockNumber, version.transactionNumber);
  }

  *range(namespace: string, start: string, end: string): Generator<KeyRead> {
    for (const row of this.#range.iterate(namespace, Buffer.from(start), Buffer.from(end))) {
      const [key, blockNumber, transactionNumber] = row as unknown as [Uint8Array, number, number];
      yield { key: Buffer.from(key).toString(), version: { blockNumber, transactionNumber } };
    }
  }

  addTransaction(transactionId: string): boolean {
    return this.#see.run(transactionId).changes === 1;
  }
}
