import { type Decoded, decodeMessage, type MessageSchema } from '#fabric-codec/messages';
import { SimulationError, type Simulator, type StateIterator } from './chaincode.port.js';
import type { ChaincodeIndexes } from './launch/index-files.js';
import { type PrivateOptions, PrivateRequests } from './private-requests.js';
import {
  encodeKeyModification,
  encodeKeyValue,
  encodeQueryResponse,
  encodeStateMetadata,
  GetQueryResult,
  GetStateByRange,
  IteratorRequest,
  KeyRequest,
  MessageType,
  PutState,
  PutStateMetadata,
  QueryMetadata,
} from './messages.js';
import { openQuery, privateSource, requireStorable, type QueryRequest } from './couchdb-queries.js';

// Handles the requests that a chaincode makes while it executes a call, as core/chaincode/handler.go of Fabric 2.5 does,
// with its error texts.

/** Most results of a batch, and of an iterator (`ledger.state.totalQueryLimit`), by a peer's defaults. */
const BATCH = 100;
const TOTAL_QUERY_LIMIT = 100_000;
const NOTHING = new Uint8Array();

/** An open iterator of a call. */
interface OpenIterator {
  /** Returns the next serialized result; undefined at the end. */
  readonly next: () => Uint8Array | undefined;
  /** Finds a number of results, for {@link next}, while other calls run. */
  readonly prefetch?: (count: number) => Promise<void>;
  /** Returns the key at which the next page begins; undefined unless it is a page. */
  readonly bookmark?: () => string;
  readonly limit: number;
  /** Results that have been taken. */
  count: number;
  /** A result that was taken to find out whether there are more. */
  pending: Uint8Array | undefined;
}

type NewIterator = Omit<OpenIterator, 'count' | 'pending'>;

/** The chaincode whose requests are answered. */
interface RequestingChaincode extends PrivateOptions {
  readonly name: string;
  /** Undefined where queries of CouchDB are refused. */
  readonly indexes?: ChaincodeIndexes | undefined;
}

/** The state of one call of a chaincode: its requests, answered by a simulator. */
export class StateRequests {
  readonly #namespace: string;
  readonly #simulator: Simulator;
  readonly #private: PrivateRequests;
  readonly #indexes: ChaincodeIndexes | undefined;
  readonly #iterators = new Map<string, OpenIterator>();
  #newestIterator = 0;

  constructor(channel: string, simulator: Simulator, { name, indexes, ...options }: RequestingChaincode) {
    this.#namespace = name;
    this.#simulator = simulator;
    this.#private = new PrivateRequests(channel, name, simulator, options);
    this.#indexes = indexes;
  }

  /**
   * Handles a request.
   * @returns the payload of the response, for a query of CouchDB a promise of it; undefined for an unknown type
   * @throws {@link SimulationError} with the peer's text; what the simulator throws
   */
  handle(type: number, payload: Uint8Array): Uint8Array | Promise<Uint8Array> | undefined {
    switch (type) {
      case MessageType.GET_STATE:
        return this.#get(unmarshal(KeyRequest, payload)) ?? NOTHING;
      case MessageType.PUT_STATE:
        return this.#put(unmarshal(PutState, payload));
      case MessageType.DEL_STATE:
        return this.#delete(unmarshal(KeyRequest, payload));
      case MessageType.GET_PRIVATE_DATA_HASH:
        return this.#hash(unmarshal(KeyRequest, payload));
      case MessageType.PURGE_PRIVATE_DATA:
        return this.#purge(unmarshal(KeyRequest, payload));
      default:
        return this.#handleQuery(type, payload);
    }
  }

  #handleQuery(type: number, payload: Uint8Array): Uint8Array | Promise<Uint8Array> | undefined {
    switch (type) {
      case MessageType.GET_STATE_BY_RANGE:
        return this.#openRange(unmarshal(GetStateByRange, payload));
      case MessageType.GET_HISTORY_FOR_KEY:
        return this.#openHistory(unmarshal(KeyRequest, payload).key);
      case MessageType.GET_QUERY_RESULT:
        return this.#openQuery(unmarshal(GetQueryResult, payload));
      case MessageType.GET_STATE_METADATA:
        return this.#metadata(unmarshal(KeyRequest, payload));
      case MessageType.PUT_STATE_METADATA:
        return this.#putMetadata(unmarshal(PutStateMetadata, payload));
      case MessageType.QUERY_STATE_NEXT:
        return this.#continue(unmarshal(IteratorRequest, payload).id);
      case MessageType.QUERY_STATE_CLOSE:
        return this.#close(unmarshal(IteratorRequest, payload).id);
      default:
        return undefined;
    }
  }

  #get({ key, collection }: KeyRequest): Uint8Array | undefined {
    return collection === '' ? this.#simulator.getState(this.#namespace, key) : this.#private.get(collection, key);
  }

  #put({ key, value, collection }: Decoded<typeof PutState>): Uint8Array {
    if (this.#indexes !== undefined) requireStorable(key, value);
    if (collection === '') this.#simulator.putState(this.#namespace, key, value);
    else this.#private.put(collection, key, value);
    return NOTHING;
  }

  #delete({ key, collection }: KeyRequest): Uint8Array {
    if (this.#indexes !== undefined) requireStorable(key);
    if (collection === '') this.#simulator.deleteState(this.#namespace, key);
    else this.#private.delete(collection, key);
    return NOTHING;
  }

  #hash({ key, collection }: KeyRequest): Uint8Array {
    return this.#private.hash(collection, key) ?? NOTHING;
  }

  #purge({ key, collection }: KeyRequest): Uint8Array {
    if (collection === '') throw new SimulationError('only applicable for private data');
    this.#private.purge(collection, key);
    return NOTHING;
  }

  #metadata({ key, collection }: KeyRequest): Uint8Array {
    const entries =
      collection === ''
        ? this.#simulator.getStateMetadata(this.#namespace, key)
        : this.#private.metadata(collection, key);
    return encodeStateMetadata(entries);
  }

  /** As a peer does, replaces all metadata of the key by the one entry. */
  #putMetadata({ key, collection, metadata }: Decoded<typeof PutStateMetadata>): Uint8Array {
    const { metakey: name = '', value = NOTHING } = metadata ?? {};
    if (collection === '') this.#simulator.putStateMetadata(this.#namespace, key, [{ name, value }]);
    else this.#private.putMetadata(collection, key, [{ name, value }]);
    return NOTHING;
  }

  #openRange({ startKey, endKey, metadata, collection }: Decoded<typeof GetStateByRange>): Uint8Array {
    if (collection !== '') return this.#openPrivateRange(collection, startKey, endKey);
    const page = readPage(metadata);
    const limit = limitOf(page);
    const range = { start: startKey, end: endKey, ...(page && { page: { ...page, size: limit } }) };
    const entries = this.#simulator.getStateByRange(this.#namespace, range);
    const next = (): Uint8Array | undefined => nextKeyValue(this.#namespace, entries);
    return this.#open({ next, limit, ...(page && { bookmark: () => entries.bookmark() }) });
  }

  /** Ranges of private data have no pages. */
  #openPrivateRange(collection: string, start: string, end: string): Uint8Array {
    const entries = this.#private.range(collection, start, end);
    return this.#open({ next: () => nextKeyValue(this.#namespace, entries), limit: TOTAL_QUERY_LIMIT });
  }

  #openHistory(key: string): Uint8Array {
    const changes = this.#simulator.getHistoryForKey(this.#namespace, key);
    const next = (): Uint8Array | undefined => {
      const { value } = changes.next();
      return value && encodeKeyModification(value);
    };
    return this.#open({ next, limit: TOTAL_QUERY_LIMIT });
  }

  #openQuery({ query, metadata, collection }: Decoded<typeof GetQueryResult>): Promise<Uint8Array> {
    // Queries of private data have no pages.
    const page = collection === '' ? readPage(metadata) : undefined;
    const searched = this.#searched(collection, page !== undefined);
    const results = openQuery({ text: query, bookmark: page?.bookmark ?? '', ...searched });
    const { prefetch } = results;
    const next = (): Uint8Array | undefined => nextKeyValue(this.#namespace, results);
    const bookmark = page && (() => results.bookmark());
    return this.#prefetched(this.#add({ next, prefetch, limit: limitOf(page), ...(bookmark && { bookmark }) }));
  }

  /** Returns what a query searches. @throws {@link SimulationError} where such queries are refused */
  #searched(collection: string, isPage: boolean): Pick<QueryRequest, 'indexes' | 'source'> {
    if (collection !== '') this.#private.requireReadable(collection);
    if (this.#indexes === undefined) {
      throw new SimulationError(`${isPage ? 'ExecuteQueryWithMetadata' : 'ExecuteQuery'} not supported for leveldb`);
    }
    const { state, collections } = this.#indexes;
    return collection === ''
      ? { indexes: state, source: this.#simulator.getQueryResult(this.#namespace, isPage) }
      : { indexes: collections.get(collection) ?? [], source: privateSource(this.#private, collection) };
  }

  #open(iterator: NewIterator): Uint8Array {
    return this.#nextBatch(this.#add(iterator));
  }

  /** Adds an iterator and returns its id. */
  #add(iterator: NewIterator): string {
    this.#newestIterator += 1;
    const id = String(this.#newestIterator);
    this.#iterators.set(id, { ...iterator, count: 0, pending: undefined });
    return id;
  }

  /** Returns the next batch of an iterator after its results have been found. */
  async #prefetched(id: string): Promise<Uint8Array> {
    const iterator = this.#iterators.get(id);
    const left = (iterator?.limit ?? 0) - (iterator?.count ?? 0);
    const batch = iterator?.pending === undefined ? BATCH + 1 : BATCH;
    await iterator?.prefetch?.(iterator.bookmark === undefined ? Math.min(left, batch) : left);
    return this.#nextBatch(id);
  }

  #continue(id: string): Uint8Array | Promise<Uint8Array> {
    return this.#iterators.get(id)?.prefetch === undefined ? this.#nextBatch(id) : this.#prefetched(id);
  }

  /** Returns the next batch. As on a peer, one result more is taken, except at the limit; pages are one batch. */
  #nextBatch(id: string): Uint8Array {
    const iterator = this.#iterators.get(id);
    if (iterator === undefined) throw new SimulationError('query iterator not found');
    const results = iterator.pending === undefined ? [] : [iterator.pending];
    iterator.pending = undefined;
    while (iterator.count < iterator.limit) {
      const result = iterator.next();
      if (result === undefined) break;
      iterator.count += 1;
      if (iterator.bookmark === undefined && results.length === BATCH) {
        iterator.pending = result;
        return encodeQueryResponse({ id, results, hasMore: true });
      }
      results.push(result);
    }
    this.#iterators.delete(id);
    const page = iterator.bookmark && { count: iterator.count, bookmark: iterator.bookmark() };
    return encodeQueryResponse({ id, results, hasMore: false, ...(page && { page }) });
  }

  #close(id: string): Uint8Array {
    this.#iterators.delete(id);
    return encodeQueryResponse({ id, results: [], hasMore: false });
  }
}

/** Decodes a request. @throws {@link SimulationError} */
export function unmarshal<T>(schema: MessageSchema<T>, payload: Uint8Array): T {
  let decoded: T;
  try {
    decoded = decodeMessage(schema, payload);
  } catch (error) {
    throw new SimulationError(`unmarshal failed: ${(error as Error).message}`);
  }
  // Two keys that are not UTF-8 would become the same one.
  if (hasReplacedText(decoded, payload)) {
    throw new SimulationError('unmarshal failed: proto: string field contains invalid UTF-8');
  }
  return decoded;
}

/** Returns whether decoding replaced bytes that are not UTF-8, by U+FFFD, which the message itself does not contain there. */
function hasReplacedText(decoded: unknown, payload: Uint8Array): boolean {
  if (typeof decoded === 'string') {
    return (
      decoded.includes('\ufffd') && !Buffer.from(payload.buffer, payload.byteOffset, payload.length).includes(decoded)
    );
  }
  if (typeof decoded !== 'object' || decoded === null || decoded instanceof Uint8Array) return false;
  return Object.values(decoded).some((value) => hasReplacedText(value, payload));
}

function readPage(metadata: Uint8Array): { readonly size: number; readonly bookmark: string } | undefined {
  const { pageSize, bookmark } = unmarshal(QueryMetadata, metadata);
  return pageSize === 0 && bookmark === '' ? undefined : { size: Math.max(0, pageSize), bookmark };
}

/** A page of size 0 with a bookmark has no limit, as on a peer. */
function limitOf(page: { readonly size: number } | undefined): number {
  return page === undefined || page.size === 0 ? TOTAL_QUERY_LIMIT : Math.min(page.size, TOTAL_QUERY_LIMIT);
}

function nextKeyValue(namespace: string, entries: Pick<StateIterator, 'next'>): Uint8Array | undefined {
  const entry = entries.next();
  return entry && encodeKeyValue(namespace, entry.key, entry.value);
}
