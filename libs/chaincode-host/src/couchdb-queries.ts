import { setImmediate as turn } from 'node:timers/promises';
import { Find, MangoError, parseDocument, reservedField, type Entry, type MangoIndex } from '#mango';
import type { PrivateRequests } from './private-requests.js';
import { type QuerySource, SimulationError, type StateIterator } from './chaincode.port.js';

// Queries of CouchDB as core/ledger/kvledger/txmgmt/statedb/statecouchdb of Fabric 2.5 passes them on, with its error texts.

/** Milliseconds after which other calls run. */
const SLICE = 5;

/** A query that a chaincode has sent. */
export interface QueryRequest {
  /** The query, as JSON. */
  readonly text: string;
  /** Of the previous page; empty for the first one. */
  readonly bookmark: string;
  readonly indexes: readonly MangoIndex[];
  readonly source: QuerySource;
}

/** The results of a query, which are found by {@link prefetch} before {@link next} returns them. */
export interface QueryResults extends StateIterator {
  readonly prefetch: (count: number) => Promise<void>;
}

/** Opens the results of a query. @throws {@link SimulationError} with the text of a peer for an invalid query */
export function openQuery({ text, bookmark, indexes, source }: QueryRequest): QueryResults {
  const find = translateErrors(() => new Find(text, bookmark, indexes));
  const steps = find.run(source);
  const found: Entry[] = [];
  let slice = performance.now();
  return {
    prefetch: async (count) => {
      while (found.length < count) {
        const { value, done } = translateErrors(() => steps.next());
        if (done === true) return;
        if (value !== undefined) {
          source.recordRead(value.key);
          found.push(value);
        }
        if (performance.now() - slice < SLICE) continue;
        await turn();
        slice = performance.now();
      }
    },
    next: () => found.shift(),
    bookmark: () => find.bookmark(),
  };
}

/** Returns a private collection as a query searches it. As on a peer, its results are not recorded as read. */
export function privateSource(requests: Pick<PrivateRequests, 'range'>, collection: string): QuerySource {
  return {
    *entries(after) {
      const range = requests.range(collection, after === '' ? '' : `${after}\u0000`, '');
      for (let entry = range.next(); entry !== undefined; entry = range.next()) yield entry;
    },
    value(key) {
      const entry = requests.range(collection, key, `${key}\u0000`).next();
      if (entry === undefined) throw new SimulationError('a private value was deleted meanwhile');
      return entry.value;
    },
    recordRead: () => undefined,
  };
}

/** Refuses a key and a value that a peer with CouchDB does not store. @throws {@link SimulationError} with its text */
export function requireStorable(key: string, value?: Uint8Array): void {
  if (key === '') throw new SimulationError('invalid key. Empty string is not supported as a key by couchdb');
  if (key.startsWith('_')) throw new SimulationError(`invalid key [${key}], cannot begin with "_"`);
  const document = value && parseDocument(value);
  const field = document && reservedField(document);
  if (field === undefined) return;
  throw new SimulationError(`field [${field}] is not valid for the CouchDB state database`);
}

function translateErrors<T>(task: () => T): T {
  try {
    return task();
  } catch (error) {
    if (error instanceof MangoError) {
      const { error: name, status, message } = error;
      const text = `Error:${name},  Status Code:${status},  Reason:${message}`;
      throw new SimulationError(`error handling CouchDB request. ${text}`);
    }
    if (error instanceof SyntaxError) throw new SimulationError(error.message);
    throw error;
  }
}
