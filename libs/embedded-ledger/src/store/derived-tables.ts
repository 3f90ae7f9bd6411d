import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CreatorNames, type ReadingConnection, RecordFieldWriter } from '#chain-pages';
import {
  calledFunction,
  type CollectionSets,
  decodeActions,
  type DecodedBlock,
  decodeEnvelope,
  decodeReadWriteSets,
  type NamespaceSets,
} from '#fabric-codec';
import {
  collectionSpace,
  encodeMetadata,
  type KeyRead,
  type KeyWrite,
  type ReadWriteSet,
  type Version,
} from '#fabric-codec/encode';
import { HeaderType, TxValidationCode } from '#fabric-codec/messages';
import type { ExaminedSummary, ReplayState } from '#fabric-codec/verify';
import { damaged } from '#ledger-gateway';
import { RECORDS_NAME } from '#records-contract';
import { CallIndexWriter, type IndexedCall } from './call-index.js';
import type { BlocksToLive } from './blocks-to-live.js';
import { type ExpiredKey, ExpiredKeys } from './expired-keys.js';
import { metadataKey } from './key-metadata.js';
import { recordDigest } from './record-digest.js';
import { recordStateOf } from './record-state.js';
import { endOf, storedKey } from './schema.js';
import { prepareRows } from './store-reader.js';

/** A write of a key by the transaction at a position in its block. */
export interface StateWrite {
  readonly position: number;
  /** Name of the chaincode whose key it is. */
  readonly namespace: string;
  readonly key: string;
  /** See {@link storedKey}. */
  readonly stored: string;
  /** Null deletes the key. */
  readonly value: Uint8Array | null;
}

/** New metadata of a key that has a value, by the transaction at a position in its block. */
export interface StateMetadataWrite extends Omit<StateWrite, 'value'> {
  /** As {@link encodeMetadata} encodes them; null without any. */
  readonly metadata: Uint8Array | null;
}

/** A change of the state. */
export type StateChange = StateWrite | StateMetadataWrite;

/** Creates the writes of a transaction in a namespace. */
export function writesIn(namespace: string, writes: readonly KeyWrite[], position: number): StateWrite[] {
  return writes.map(({ key, value = null }) => {
    return { position, namespace, key, stored: storedKey(namespace, key), value };
  });
}

/** Creates the changes of a transaction in a namespace: writes, then metadata, which a key that it deletes does not get. */
export function changesIn(
  namespace: string,
  { writes, metadataWrites = [] }: Pick<ReadWriteSet, 'writes' | 'metadataWrites'>,
  position: number,
): StateChange[] {
  const changes: StateChange[] = writesIn(namespace, writes, position);
  for (const { key, entries } of metadataWrites) {
    const metadata = entries.length === 0 ? null : encodeMetadata(entries);
    changes.push({ position, namespace, key, stored: storedKey(namespace, key), metadata });
  }
  return changes;
}

/** What the records of a block are made of. */
export interface BlockRecords {
  /** The ids of its transactions. */
  readonly ids: readonly string[];
  readonly writes: readonly StateChange[];
  readonly calls: readonly IndexedCall[];
}

/** A transaction as far as records of the state follow from it. */
export interface RecordedWrites {
  readonly transactionId: string;
  /** Its writes; empty unless it is VALID. */
  readonly namespaces: readonly NamespaceSets[];
}

/** The newest row of a key. */
interface KeyRow extends Version {
  readonly isPresent: boolean;
  /** Number of its newest history entry. */
  readonly entry: number;
}

/** Reads the number of the newest history entry, which a {@link DerivedTables} continues from. */
export function readNewestEntry(db: ReadingConnection): number {
  const { newest } = db.prepare('SELECT coalesce(max(entry), 0) AS newest FROM history').get() as { newest: number };
  return newest;
}

/**
 * Writes the rows that follow from the blocks of a chain: indexes, state and histories. The caller opens and
 * commits the transaction. It is also the state that a verifier replays the chain on: a chain of any length is verified in
 * constant memory, and a store's own tables can be compared with these. Digests are not checked, because the rows that it
 * reads were written here, or were read with their digests in the same transaction.
 */
export class DerivedTables implements ReplayState {
  readonly creators = new CreatorNames();
  readonly #assets: string;
  readonly #calls: CallIndexWriter;
  readonly #insertTransaction: StatementSync;
  readonly #insertEntry: StatementSync;
  readonly #insertState: StatementSync;
  readonly #raiseVersion: StatementSync;
  readonly #value: StatementSync;
  readonly #key: StatementSync;
  readonly #range: StatementSync;
  readonly #records: ReturnType<typeof recordStateOf>;
  readonly #fields: RecordFieldWriter;
  readonly #expired: ExpiredKeys;
  /** Keys that were read from the table since the last block, as they are stored. */
  readonly #cached = new Map<string, KeyRow | undefined>();
  #entry: number;

  /**
   * @param assets - name of the chaincode whose keys are counted as assets
   * @param blocksToLive - after how many blocks keys of private collections expire
   */
  constructor(db: DatabaseSync, assets: string, blocksToLive: BlocksToLive = {}) {
    this.#assets = assets;
    this.#expired = new ExpiredKeys(db, blocksToLive);
    this.#calls = new CallIndexWriter(db);
    // A chain may contain two transactions with one id (DUPLICATE_TXID): a lookup returns the first.
    this.#insertTransaction = db.prepare('INSERT OR IGNORE INTO transactions VALUES (?, ?, ?, ?)');
    this.#insertEntry = db.prepare('INSERT INTO history VALUES (?, ?, ?, ?, ?)');
    // It replaces the row with the same key, of which there is a unique index.
    this.#insertState = db.prepare(
      'INSERT OR REPLACE INTO state (entry, qualified_key, block, position, digest, value) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#raiseVersion = db.prepare('UPDATE state SET block = ?, position = ?, digest = ? WHERE entry = ?');
    this.#value = prepareRows(db, 'SELECT value FROM state WHERE qualified_key = ?');
    this.#records = recordStateOf(db);
    this.#fields = new RecordFieldWriter(db, this.#records);
    // Unlike `value IS NOT NULL`, typeof() does not read a value of many pages.
    const isPresent = "typeof(value) <> 'null'";
    this.#key = prepareRows(db, `SELECT block, position, ${isPresent}, entry FROM state WHERE qualified_key = ?`);
    const range = 'SELECT qualified_key, block, position FROM state WHERE value IS NOT NULL AND qualified_key >= ?';
    this.#range = prepareRows(db, `${range} AND qualified_key < ? ORDER BY qualified_key`);
    this.#entry = readNewestEntry(db);
  }

  version(namespace: string, key: string): Version | undefined {
    const row = this.#row(storedKey(namespace, key));
    return row?.isPresent === true ? row : undefined;
  }

  value(namespace: string, key: string): Uint8Array | undefined {
    return this.#storedValue(storedKey(namespace, key));
  }

  setVersion(): void {
    // add() writes it with the rest of the block.
  }

  *range(namespace: string, start: string, end: string): Generator<KeyRead> {
    const stored = (key: string): string => storedKey(namespace, key);
    for (const row of this.#range.iterate(stored(start), end === '' ? endOf(namespace) : stored(end))) {
      const [key, blockNumber, transactionNumber] = row as unknown as [string, number, number];
      yield { key: key.slice(namespace.length + 1), version: { blockNumber, transactionNumber } };
    }
  }

  /** Records the place of a transaction; returns false when another one with its id is recorded already. */
  addTransaction(transactionId: string, { blockNumber, transactionNumber }: Version): boolean {
    const id = Buffer.from(transactionId, 'hex');
    const digest = recordDigest('transaction', [blockNumber, transactionNumber], [id]);
    return this.#insertTransaction.run(id, blockNumber, transactionNumber, digest).changes === 1;
  }

  /**
   * Records the transactions of a block and their writes, in order. Each history entry names the previous one of its key.
   * @returns the private keys that expire with the block
   */
  add(number: number, changes: readonly StateChange[], calls: readonly IndexedCall[]): readonly ExpiredKey[] {
    let newAssets = 0;
    for (const write of changes) {
      const row = this.#row(write.stored);
      if ('metadata' in write) {
        this.#addMetadata(number, write, row);
        continue;
      }
      if (write.namespace === this.#assets) newAssets += Number(write.value !== null) - Number(row?.isPresent === true);
      if (write.namespace === RECORDS_NAME) this.#addRecordWrite(number, write, row);
      else this.#addKeyWrite(number, write, row);
    }
    this.#cached.clear();
    this.#calls.add(number, calls, newAssets);
    return this.#expired.delete(number, this.#entry);
  }

  /** Adds a write of a chaincode. A key that is deleted loses its metadata. */
  #addKeyWrite(number: number, write: StateWrite, row: KeyRow | undefined): void {
    this.#addWrite(number, write, row);
    if (write.value === null && row?.isPresent === true) this.#setMetadata(number, { ...write, metadata: null });
  }

  /** Adds a write of the records contract, and the change of the indexed fields. */
  #addRecordWrite(number: number, write: StateWrite, row: KeyRow | undefined): void {
    const before = row?.isPresent === true ? this.#records.value(write.key) : undefined;
    this.#addWrite(number, write, row);
    this.#fields.apply(write.key, write.value ?? undefined, before);
  }

  /** Adds new metadata of a key, which raise its version too. They are no entry of its history, as on a peer. */
  #addMetadata(number: number, write: StateMetadataWrite, row: KeyRow | undefined): void {
    if (row?.isPresent !== true) return;
    const { entry } = row;
    const { stored, position } = write;
    const value = this.#storedValue(stored) ?? null;
    this.#raiseVersion.run(number, position, recordDigest('state', [number, position, entry], [stored, value]), entry);
    this.#cached.delete(stored);
    this.#setMetadata(number, write);
  }

  /** Writes the row with the metadata of a key, if there are any or were. */
  #setMetadata(number: number, { namespace, key, position, metadata }: StateMetadataWrite): void {
    const stored = metadataKey(namespace, key);
    const row = this.#row(stored);
    if (metadata !== null || row?.isPresent === true)
      this.#addWrite(number, { position, stored, value: metadata }, row);
  }

  #storedValue(stored: string): Uint8Array | undefined {
    const row = this.#value.get(stored) as unknown as [Uint8Array | null] | undefined;
    return row?.[0] ?? undefined;
  }

  /** @param row - the previous one of the key */
  #addWrite(
    number: number,
    { position, stored, value }: Pick<StateWrite, 'position' | 'stored' | 'value'>,
    row: KeyRow | undefined,
  ): void {
    const previous = row?.entry ?? 0;
    const entry = ++this.#entry;
    const historyDigest = recordDigest('history', [entry, previous, number, position], [stored]);
    this.#insertEntry.run(entry, previous, number, position, historyDigest);
    const digest = recordDigest('state', [number, position, entry], [stored, value]);
    this.#insertState.run(entry, stored, number, position, digest, value);
    this.#cached.delete(stored);
  }

  #row(stored: string): KeyRow | undefined {
    if (this.#cached.has(stored)) return this.#cached.get(stored);
    const found = this.#key.get(stored);
    const [blockNumber, transactionNumber, isPresent, entry] = (found ?? []) as unknown as [
      number,
      number,
      0 | 1,
      number,
    ];
    const row = found && { blockNumber, transactionNumber, isPresent: isPresent === 1, entry };
    this.#cached.set(stored, row);
    return row;
  }
}

/**
 * Adds the records that follow from a block, whose validation codes are used as they are.
 * @throws `LEDGER.DAMAGED` when it cannot be decoded
 */
export function addBlock(tables: DerivedTables, block: DecodedBlock): void {
  const { ids, writes, calls } = recordsOf(block, tables.creators);
  const blockNumber = block.header.number;
  for (const [transactionNumber, id] of ids.entries()) tables.addTransaction(id, { blockNumber, transactionNumber });
  tables.add(blockNumber, writes, calls);
}

/**
 * Returns what records are made of: the ids, the writes and the calls of a block's transactions.
 * @throws `LEDGER.DAMAGED` when it cannot be decoded
 */
export function recordsOf({ envelopes, validationCodes }: DecodedBlock, creators: CreatorNames): BlockRecords {
  const calls: IndexedCall[] = [];
  const transactions = envelopes.map((bytes, position): RecordedWrites => {
    const envelope = decodeEnvelope(bytes);
    const { transactionId, type, data } = envelope;
    calls.push(recordedCall({ ...envelope, ...calledFunction(envelope) }, creators));
    const isValid = validationCodes[position] === TxValidationCode.VALID;
    const actions = isValid && type === HeaderType.ENDORSER_TRANSACTION ? decodeActions(data) : [];
    return { transactionId, namespaces: actions.flatMap(({ results }) => decodeReadWriteSets(results)) };
  });
  const ids = transactions.map(({ transactionId }) => transactionId);
  return { ids, writes: stateWrites(transactions), calls };
}

/** Returns what the index of calls records of a transaction. */
export function recordedCall(call: ExaminedSummary, creators: CreatorNames): IndexedCall {
  return { creator: creators.of(call).creatorId, function: call.function, timestamp: Date.parse(call.timestamp) };
}

/**
 * Returns the writes of a block's transactions.
 * @throws `LEDGER.DAMAGED` when a namespace contains a character that separates it from the key in the state
 */
export function stateWrites(transactions: readonly RecordedWrites[]): StateChange[] {
  return transactions.flatMap(({ transactionId, namespaces }, position) =>
    namespaces.flatMap((sets) => {
      const { namespace, collections } = sets;
      for (const name of [namespace, ...collections.map(({ collection }) => collection)]) {
        if (/[/\0]/.test(name)) {
          throw damaged(`Transaction ${transactionId} writes in the namespace ${JSON.stringify(name)}.`);
        }
      }
      return [
        ...changesIn(namespace, sets, position),
        ...collections.flatMap((hashed) => hashedChanges(namespace, hashed, position)),
      ];
    }),
  );
}

/** Creates the changes of a transaction in a private collection, in the order of its plain keys. */
function hashedChanges(
  namespace: string,
  { collection, hashedWrites, metadataWrites }: CollectionSets,
  position: number,
): StateChange[] {
  const set = {
    writes: hashedWrites.map(({ keyHash, valueHash }) => ({ key: hex(keyHash), value: valueHash })),
    metadataWrites: metadataWrites.map(({ keyHash, entries }) => ({ key: hex(keyHash), entries })),
  };
  return changesIn(collectionSpace(namespace, collection), set, position);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
