import shim, { type ChaincodeInterface, type ChaincodeResponse, type ChaincodeStub, type Iterators } from 'fabric-shim';
import type {
  Decision,
  Evaluation,
  HistoryEntry,
  HistoryQuery,
  PrivateKey,
  PrivateWrite,
  RangeQuery,
  StateEntry,
  StoredValue,
  Write,
} from '../contract-function.js';
import { METADATA_FUNCTION, type Contract } from '../contract.js';

/** Part of the text with which a peer refuses to return a value of which it has only the hash. */
const NOT_STORED = 'private data matching public hash version is not available';

/** What fabric-shim offers to one transaction. */
export type Stub = Pick<
  ChaincodeStub,
  | 'getState'
  | 'putState'
  | 'deleteState'
  | 'setEvent'
  | 'getStateByRange'
  | 'getHistoryForKey'
  | 'getTxID'
  | 'getTxTimestamp'
>;

/** What fabric-shim offers for private data, to contracts that use any. */
export type PrivateStub = Pick<
  ChaincodeStub,
  'getTransient' | 'getPrivateData' | 'putPrivateData' | 'deletePrivateData'
> & { purgePrivateData(collection: string, key: string): Promise<void> };

/** A method of the shim that its type declarations omit. */
interface ArgumentBytes extends ChaincodeStub {
  getBufferArgs(): readonly Uint8Array[];
}

/**
 * Returns a contract in the form that the shim serves to a peer. Its functions have two names: `ReadAsset` and
 * `AssetTransferContract:ReadAsset` are the same, as with fabric-contract-api.
 */
export function chaincodeOf(contract: Contract): ChaincodeInterface {
  const respond = async (stub: ChaincodeStub): Promise<ChaincodeResponse> => {
    // A chaincode that requires no initialization may be initialized without arguments.
    if (stub.getArgs().length === 0) return shim.Shim.success();
    const { fcn } = stub.getFunctionAndParameters();
    // As bytes: the shim replaces what is not UTF-8 in its texts.
    const params = (stub as ArgumentBytes).getBufferArgs().slice(1);
    if (fcn === METADATA_FUNCTION) return shim.Shim.success(Buffer.from(contract.metadata()));
    const prefix = `${contract.name}:`;
    try {
      return shim.Shim.success(
        await runOnPeer(contract, stub, fcn.startsWith(prefix) ? fcn.slice(prefix.length) : fcn, params),
      );
    } catch (error) {
      return shim.Shim.error((error as Error).message);
    }
  };
  return { Init: respond, Invoke: respond };
}

/**
 * Runs one call as a transaction of a peer, which records what is read and written. Reads see what is committed.
 * @returns the response payload
 * @throws `ContractError` when the contract refuses; errors of the peer
 */
export async function runOnPeer(
  contract: Contract,
  stub: Stub & Partial<PrivateStub>,
  functionName: string,
  args: readonly (string | Uint8Array)[],
): Promise<Uint8Array> {
  const { acceptsTransient = false } = contract.functions.get(functionName) ?? {};
  const transient = acceptsTransient ? stub.getTransient?.() : undefined;
  const transaction = { transactionId: stub.getTxID(), timestamp: isoTime(stub.getTxTimestamp()), transient };
  const call = contract.prepare(functionName, args, transaction);
  if ('evaluation' in call) return evaluate(stub, call.evaluation);
  const stored: StoredValue[] = [];
  for (const key of call.reads) stored.push(await valueOf(stub, key));
  const privately = await privateValues(stub as PrivateStub, call.privateReads);
  const decision = call.decide(stored, privately, await changesOf(stub, call.historyOf));
  await apply(stub, decision);
  return decision.payload;
}

async function apply(stub: Stub, { writes, privateWrites = [], event }: Decision): Promise<void> {
  for (const write of writes) await execute(stub, write);
  for (const write of privateWrites) await executePrivately(stub as Stub & PrivateStub, write);
  if (event !== undefined) stub.setEvent(event.name, event.payload);
}

async function privateValues(stub: PrivateStub, keys: readonly PrivateKey[] = []): Promise<readonly StoredValue[]> {
  const values: StoredValue[] = [];
  for (const place of keys) values.push(await privateValue(stub, place));
  return values;
}

/** @returns undefined also when this peer has no copy: it is no member, or has not received it yet */
async function privateValue(stub: PrivateStub, { collection, key }: PrivateKey): Promise<StoredValue> {
  try {
    return present(await stub.getPrivateData(collection, key));
  } catch (error) {
    if ((error as Error).message.includes(NOT_STORED)) return undefined;
    throw error;
  }
}

async function changesOf(stub: Stub, historyOf: string | undefined): Promise<readonly HistoryEntry[]> {
  const changes: HistoryEntry[] = [];
  if (historyOf !== undefined) await history(stub, { historyOf, add: (change) => changes.push(change) > 0 });
  return changes;
}

async function evaluate(stub: Stub, evaluation: Evaluation): Promise<Uint8Array> {
  let step = evaluation.next([]);
  while (step.done !== true) {
    const query = step.value;
    step = evaluation.next('historyOf' in query ? await history(stub, query) : await range(stub, query));
  }
  return step.value;
}

async function valueOf(stub: Stub, key: string): Promise<StoredValue> {
  return present(await stub.getState(key));
}

/** A peer returns no bytes for an absent key. */
function present(value: Uint8Array): StoredValue {
  return value.length === 0 ? undefined : value;
}

function execute(stub: Stub, { key, value }: Write): Promise<void> {
  return value === undefined ? stub.deleteState(key) : stub.putState(key, value);
}

function executePrivately(stub: PrivateStub, { collection, key, value, isPurge }: PrivateWrite): Promise<void> {
  if (value !== undefined) return stub.putPrivateData(collection, key, value);
  return isPurge === true ? stub.purgePrivateData(collection, key) : stub.deletePrivateData(collection, key);
}

async function range(stub: Stub, { start, end, limit }: RangeQuery): Promise<readonly StateEntry[]> {
  // Peers refuse the query with pages in transactions that write. This query is closed early instead.
  const entries: StateEntry[] = [];
  await forEach(await stub.getStateByRange(start, end), ({ key, value }) => {
    entries.push({ key, value });
    return entries.length < limit;
  });
  return entries;
}

async function history(stub: Stub, { historyOf, add }: HistoryQuery): Promise<readonly never[]> {
  await forEach(await stub.getHistoryForKey(historyOf), ({ txId, timestamp, isDelete, value }) =>
    add({ transactionId: txId, timestamp: isoTime(timestamp), value: isDelete ? undefined : value }),
  );
  return [];
}

/** Calls a function for each result until it returns false. */
async function forEach<T>(iterator: Iterators.CommonIterator<T>, use: (result: T) => boolean): Promise<void> {
  try {
    for (;;) {
      const { value, done } = await iterator.next();
      if (done || !use(value)) return;
    }
  } finally {
    await iterator.close();
  }
}

/** Rounds down to milliseconds, as the embedded ledger does. */
function isoTime({ seconds, nanos }: { readonly seconds: { toString(): string }; readonly nanos: number }): string {
  // Depending on the call, the shim returns seconds as a Long or as a number.
  return new Date(Number(seconds.toString()) * 1000 + Math.trunc(nanos / 1e6)).toISOString();
}
