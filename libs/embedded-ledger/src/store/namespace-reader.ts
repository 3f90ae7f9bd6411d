import {
  ContractError,
  decideOn,
  METADATA_FUNCTION,
  type Contract,
  type HistoryEntry,
  type RangeQuery,
  type StateReader,
  type StoredValue,
} from '#contract-kit';
import { writeOf } from '#chain-pages';
import { decodeBlock, type DecodedBlock, type DecodedEnvelope, decodeEnvelope } from '#fabric-codec';
import { collectionSpace, hashedKey, type KeyWrite, type MetadataEntry, type Version } from '#fabric-codec/encode';
import { decodeMessage, KVMetadataWrite } from '#fabric-codec/messages';
import { toolCommand } from '#files';
import { type ChainPosition, contractRefusal, damaged, type LedgerCall, type LedgerError } from '#ledger-gateway';
import { isChaincodeSpace, metadataSpace } from './key-metadata.js';
import { damagedRecord, isDigestOf, REPAIR } from './record-digest.js';
import { endOf, OWNER, storedKey } from './schema.js';
import { queryOf, StoreReader, type Query, type Row } from './store-reader.js';
import type { ReadingConnection } from '#chain-pages';

/** The row of a key that was written at least once. */
export interface StoredState extends ChainPosition {
  readonly key: string;
  /** Null when the newest write deleted the key. */
  readonly value: Uint8Array | null;
  /** Number of the newest entry of the key's history. */
  readonly entry: number;
}

/** The row of a key that has a value. */
export interface PresentState extends StoredState {
  readonly value: Uint8Array;
}

/** A write of a key with the transaction that made it. */
export interface CommittedWrite extends ChainPosition {
  readonly envelope: DecodedEnvelope;
  readonly write: KeyWrite;
}

/** Entries of the index of owners that are read to find one of this chaincode. */
const MAX_OWNED = 100;

// The value as text: `node:sqlite` creates an ArrayBuffer for each BLOB, which costs more than finding the row.
const STATE = 'SELECT qualified_key, CAST(value AS TEXT), block, position, entry, hex(digest) FROM state';

/**
 * The neighbour of a key that is missing, with its newest history entry, whose digest covers the key: both are read without the
 * value, which may have any size and belong to another chaincode.
 */
const NEIGHBOUR = `SELECT s.qualified_key, h.entry, h.previous, h.block, h.position, hex(h.digest)
  FROM state s LEFT JOIN history h ON h.entry = s.entry`;

/** Reads the state and the histories of one chaincode. The digest of every record is checked before it is used. */
export class NamespaceReader implements StateReader {
  /** Name of the chaincode. */
  readonly namespace: string;
  readonly privateValue: NonNullable<StateReader['privateValue']>;
  readonly #prefix: string;
  readonly #blocks: StoreReader;
  readonly #at: Query;
  readonly #value: Query;
  readonly #before: Query;
  readonly #from: Query;
  readonly #between: Query;
  readonly #owned: Query;
  readonly #ownerFrom: Query;
  readonly #entry: Query;

  /**
   * @param namespace - name of the chaincode
   * @param privateValue - reads private values; without it none is stored here
   */
  constructor(
    db: ReadingConnection,
    namespace: string,
    blocks = new StoreReader(db),
    privateValue: NamespaceReader['privateValue'] = () => undefined,
  ) {
    this.namespace = namespace;
    this.privateValue = privateValue;
    this.#prefix = storedKey(namespace, '');
    this.#blocks = blocks;
    const query = (conditions: string): Query => queryOf(db, 'the state', `${STATE} WHERE ${conditions}`);
    this.#at = query('qualified_key = ?');
    this.#value = queryOf(db, 'the state', 'SELECT value FROM state WHERE qualified_key = ?');
    const neighbour = (condition: string): Query =>
      queryOf(db, 'the state', `${NEIGHBOUR} WHERE s.qualified_key ${condition}`);
    this.#before = neighbour('< ? ORDER BY s.qualified_key DESC LIMIT 1');
    this.#from = neighbour('>= ? ORDER BY s.qualified_key LIMIT 1 OFFSET ?');
    this.#between = query('qualified_key >= ? AND qualified_key < ? ORDER BY qualified_key LIMIT ?');
    this.#owned = query(`${OWNER} = ? AND qualified_key > ? AND qualified_key < ? ORDER BY qualified_key LIMIT ?`);
    const owners = `SELECT ${OWNER}, qualified_key FROM state WHERE ${OWNER} IS NOT NULL AND ${OWNER} >= ?
      ORDER BY ${OWNER}, qualified_key LIMIT ${MAX_OWNED}`;
    this.#ownerFrom = queryOf(db, 'the index of owners', owners);
    this.#entry = queryOf(
      db,
      'the histories',
      'SELECT previous, block, position, hex(digest) FROM history WHERE entry = ?',
    );
  }

  /**
   * Returns the response payload of a call of a contract. Its writes are discarded, as on a peer.
   * @throws a refusal of the contract, and what the store throws
   */
  evaluate(contract: Contract, call: Pick<LedgerCall, 'function' | 'arguments'>): Uint8Array {
    try {
      // On a peer the contract API answers this function.
      if (call.function === METADATA_FUNCTION) return Buffer.from(contract.metadata());
      return decideOn(this, contract.prepare(call.function, call.arguments)).payload;
    } catch (error) {
      throw error instanceof ContractError ? contractRefusal(error) : error;
    }
  }

  value(key: string): StoredValue {
    return this.state(key)?.value ?? undefined;
  }

  /** Returns the row of a key, or undefined when the key was never written. */
  state(key: string): StoredState | undefined {
    const stored = this.#prefix + key;
    const [row] = this.#at(stored);
    if (row !== undefined) return this.#checked(row);
    this.#requireNeighbours([...this.#before(stored), ...this.#from(stored, 0)]);
    return undefined;
  }

  /** Returns present keys from `start` on, below `end` (empty: no end), in byte order. */
  range({ start, end, limit }: RangeQuery): PresentState[] {
    this.#requireNeighbours(this.#before(this.#prefix + start));
    const found: PresentState[] = [];
    for (let from = start; found.length < limit;) {
      const states = this.#statesBetween(from, end, limit);
      // Deleted keys are left out here, on checked rows: SQL would skip a row whose value was altered.
      found.push(...states.filter(isPresent).slice(0, limit - found.length));
      const newest = states.at(-1);
      if (newest === undefined || states.length < limit) break;
      from = smallestAbove(newest.key);
    }
    return found;
  }

  /** Returns present keys after one, in byte order; after the empty key, from the first on. */
  after(key: string, limit: number): PresentState[] {
    return this.range({ start: key === '' ? '' : smallestAbove(key), end: '', limit });
  }

  /** Returns the keys after one whose records name an owner, in byte order. */
  ownedBy(owner: string, after: string, limit: number): PresentState[] {
    const rows = this.#owned(owner, this.#prefix + after, endOf(this.namespace), limit);
    return rows.map((row) => this.#checked(row)).filter(isPresent);
  }

  /** Returns the first key in byte order that is not before a text, and whether it has a value. */
  keyFrom(text: string): { readonly key: string; readonly isPresent: boolean } | undefined {
    const [state] = this.#statesBetween(text, '', 1);
    return state && { key: state.key, isPresent: isPresent(state) };
  }

  /** Returns the first owner in byte order that is not before a text, unless too many records of other chaincodes precede it. */
  ownerFrom(text: string): string | undefined {
    const rows = this.#ownerFrom(text) as unknown as readonly (readonly [owner: string, key: string])[];
    return rows.find(([, key]) => key.startsWith(this.#prefix))?.[0];
  }

  *history(key: string): Generator<HistoryEntry> {
    for (const { envelope, write } of this.writesAt(key, this.versions(key))) {
      yield { transactionId: envelope.transactionId, timestamp: envelope.timestamp, value: write.value };
    }
  }

  /** Returns the versions of a key, newest first. */
  *versions(key: string, newest = this.state(key)?.entry ?? 0): Generator<ChainPosition> {
    for (let entry = newest; entry !== 0;) {
      const [row] = this.#entry(entry);
      if (row === undefined) throw damaged(`entry ${entry} of the histories is missing: ${REPAIR}`);
      const [previous, block, position, digest] = row as [number, number, number, unknown];
      if (!isDigestOf(digest, 'history', [entry, previous, block, position], [this.#prefix + key])) {
        throw damagedRecord(`entry ${entry} of the history of ${JSON.stringify(key)}`);
      }
      yield { block, position };
      entry = previous;
    }
  }

  /** Returns the writes of a key at the given versions. As on a peer, the history names the places and the blocks the values. */
  *writesAt(key: string, versions: Iterable<ChainPosition>): Generator<CommittedWrite> {
    let block: { readonly number: number; readonly decoded: DecodedBlock } | undefined;
    for (const version of versions) {
      if (block?.number !== version.block) {
        block = { number: version.block, decoded: decodeBlock(this.#blocks.requireBlock(version.block).bytes) };
      }
      const bytes = block.decoded.envelopes[version.position];
      const envelope = bytes && decodeEnvelope(bytes);
      const write = envelope && writeOf(envelope, key, this.namespace);
      if (envelope === undefined || write === undefined) throw missingWrite(key, version);
      yield { ...version, envelope, write };
    }
  }

  /** Returns keys, deleted or not, from one on and below another. */
  #statesBetween(start: string, end: string, limit: number): StoredState[] {
    const from = this.#prefix + start;
    const states = this.#between(from, end === '' ? endOf(this.namespace) : this.#prefix + end, limit).map((row) =>
      this.#checked(row),
    );
    // SQL stops at the first key that is not below the end, which may be an altered one.
    if (states.length < limit) this.#requireNeighbours(this.#from(from, states.length));
    return states;
  }

  /**
   * Checks the keys next to where a read ended. A key that is not found may be one whose stored text was altered: its row is still
   * next to where it belongs, and its history has another key.
   * @throws `LEDGER.DAMAGED`
   */
  #requireNeighbours(rows: readonly Row[]): void {
    for (const row of rows) {
      const [stored, entry, previous, block, position, digest] = row as [
        string,
        number,
        number,
        number,
        number,
        unknown,
      ];
      if (!isDigestOf(digest, 'history', [entry, previous, block, position], [stored])) {
        throw damagedRecord(`the state of ${JSON.stringify(stored)}`);
      }
    }
  }

  /** @throws `LEDGER.DAMAGED` */
  #checked(row: Row): StoredState {
    const [stored, text, block, position, entry, digest] = row as [
      string,
      string | null,
      number,
      number,
      number,
      unknown,
    ];
    const isValid = (value: string | Uint8Array | null): boolean =>
      isDigestOf(digest, 'state', [block, position, entry], [stored, value]);
    const state = { key: stored.slice(this.#prefix.length), block, position, entry };
    if (isValid(text)) return { ...state, value: text === null ? null : Buffer.from(text) };
    // The value of another chaincode may be bytes that are not text.
    const [value = null] = (this.#value(stored)[0] ?? []) as [Uint8Array?];
    if (!isValid(value)) throw damagedRecord(`the state of ${JSON.stringify(stored)}`);
    return { ...state, value };
  }
}

/** The private values, found by the hashes of keys and values in the state. */
export interface PrivateValueSource {
  value(space: string, keyHash: Uint8Array, hash: Uint8Array): Uint8Array | undefined;
}

/** Reads the state of every chaincode on one connection. */
export class StateReaders {
  readonly #db: ReadingConnection;
  readonly #blocks: StoreReader;
  readonly #values: PrivateValueSource | undefined;
  readonly #readers = new Map<string, NamespaceReader>();

  /** @param values - the private values; without them none is stored here */
  constructor(db: ReadingConnection, blocks: StoreReader, values?: PrivateValueSource) {
    this.#db = db;
    this.#blocks = blocks;
    this.#values = values;
  }

  /** Returns the reader of a chaincode's state. */
  of(namespace: string): NamespaceReader {
    let reader = this.#readers.get(namespace);
    if (reader === undefined) {
      reader = new NamespaceReader(this.#db, namespace, this.#blocks, ({ collection, key }) =>
        this.#privateValue(collectionSpace(namespace, collection), hashedKey(key)),
      );
      this.#readers.set(namespace, reader);
    }
    return reader;
  }

  #privateValue(space: string, keyHash: string): StoredValue {
    if (this.#values === undefined) return undefined;
    const hash = this.of(space).value(keyHash);
    return hash && this.#values.value(space, Buffer.from(keyHash, 'hex'), hash);
  }

  /** Returns the metadata of a key, which must have a value. */
  metadata(namespace: string, key: string): readonly MetadataEntry[] {
    const stored = this.of(metadataSpace(namespace)).value(key);
    return stored === undefined ? [] : decodeMessage(KVMetadataWrite, stored).entries;
  }
}

/** Returns the names of the chaincodes that have written to a store, sorted. */
export function chaincodesIn(db: ReadingConnection): string[] {
  const next = queryOf(db, 'the state', 'SELECT qualified_key FROM state WHERE qualified_key >= ? ORDER BY 1 LIMIT 1');
  const names: string[] = [];
  for (let [row] = next(''); row !== undefined; [row] = next(endOf(names.at(-1) ?? ''))) {
    names.push(String(row[0]).replace(/\/[^]*$/, ''));
  }
  // A name may sort after one that begins with it, because the separator is part of the order.
  return names.filter(isChaincodeSpace).sort();
}

/** Returns the version of a key for a read set; undefined when it has no value. */
export function versionOf(state: StoredState | undefined): Version | undefined {
  if (!state?.value) return undefined;
  return { blockNumber: state.block, transactionNumber: state.position };
}

function missingWrite(key: string, { block, position }: ChainPosition): LedgerError {
  const place = `transaction ${position} of block ${block}, which does not write it`;
  return damaged(`The history of ${JSON.stringify(key)} names ${place}: run "${toolCommand('ledger')} rebuild".`);
}

function isPresent(state: StoredState): state is PresentState {
  return state.value !== null;
}

/** The next key after another: itself followed by a NUL. */
function smallestAbove(key: string): string {
  return `${key}\u0000`;
}
