import { createAssets, recordOrigin } from './asset-batches.js';
import {
  assetExists,
  createAsset,
  deleteAsset,
  initLedger,
  readStoredAsset,
  transferAsset,
  transferAssetIfMatch,
  updateAsset,
  updateAssetIfMatch,
} from './asset-functions.js';
import type {
  Arguments,
  ContractFunction,
  DecidingCall,
  Decision,
  Evaluation,
  HistoryEntry,
  HistoryQuery,
  RangeQuery,
  Rule,
  StateEntry,
  StoredValue,
} from './contract-function.js';
import { getAllAssets, getAssetHistory, getAssetHistoryPage, getAssetsPage } from './list-functions.js';
import { ContractError } from './rules.js';

/** A call that reads lists. */
export interface EvaluatingCall {
  readonly evaluation: Evaluation;
}

/** A call with its arguments, before anything was read. */
export type PreparedCall = DecidingCall | EvaluatingCall;

/** A state that can be read synchronously. */
export interface StateReader {
  value(key: string): StoredValue;
  range(query: RangeQuery): readonly StateEntry[];
  /** Returns every committed change of the key, newest first; read no further than it is iterated. */
  history(key: string): Iterable<HistoryEntry>;
}

interface RunnableFunction extends ContractFunction {
  prepare(args: readonly string[]): PreparedCall;
}

const ID = ['id'] as const;
const FIELDS = ['id', 'color', 'size', 'owner', 'appraisedValue'] as const;

/** In the order and with the arguments of fabric-samples' asset-transfer-basic, then our own. */
const FUNCTIONS: readonly RunnableFunction[] = [
  write('InitLedger', [], initLedger),
  write('CreateAsset', FIELDS, createAsset),
  query('ReadAsset', ID, readStoredAsset),
  write('UpdateAsset', FIELDS, updateAsset),
  write('TransferAsset', ['id', 'newOwner'], transferAsset),
  write('DeleteAsset', ID, deleteAsset),
  query('AssetExists', ID, assetExists),
  list('GetAllAssets', [], getAllAssets),
  list('GetAssetHistory', ID, getAssetHistory),
  list('GetAssetsPage', ['pageSize', 'bookmark'], getAssetsPage),
  write('UpdateAssetIfMatch', [...FIELDS, 'digests'], updateAssetIfMatch),
  write('TransferAssetIfMatch', ['id', 'newOwner', 'digests'], transferAssetIfMatch),
  list('GetAssetHistoryPage', ['id', 'pageSize', 'bookmark'], getAssetHistoryPage),
  prepared('CreateAssets', ['assets'], createAssets),
  prepared('RecordOrigin', ['channel', 'height', 'headHash', 'authority'], recordOrigin),
];

const BY_NAME: ReadonlyMap<string, RunnableFunction> = new Map(FUNCTIONS.map((it) => [it.name, it]));

/** The functions by name. */
export const CONTRACT_FUNCTIONS: ReadonlyMap<string, ContractFunction> = BY_NAME;

/**
 * Finds the function of a call and the keys that it reads.
 * @throws {@link ContractError} when there is no such function, or for arguments that are refused whatever is stored
 */
export function prepare(functionName: string, args: readonly string[]): PreparedCall {
  const found = BY_NAME.get(functionName);
  if (found === undefined) throw new ContractError('FUNCTION_UNKNOWN', unknownFunction(functionName));
  if (args.length !== found.parameters.length) {
    throw new ContractError(
      'INVALID_ARGUMENT',
      `${functionName}(${found.parameters.join(', ')}) takes ${found.parameters.length} arguments, not ${args.length}`,
    );
  }
  return found.prepare(args);
}

/** Maximum number of records that one call reads from lists; peers have such a limit too (`ledger.state.totalQueryLimit` in core.yaml). */
export const MOST_RECORDS = 10_000;

/**
 * Runs a call on a state that can be read synchronously.
 * @throws {@link ContractError} when the contract refuses, or a list has more than {@link MOST_RECORDS}; what the state throws
 */
export function decideOn(state: StateReader, call: PreparedCall): Decision {
  if ('decide' in call) return call.decide(call.reads.map((key) => state.value(key)));
  let left = MOST_RECORDS;
  const count = (records: number): void => {
    left -= records;
    if (left < 0) throw new ContractError('INVALID_ARGUMENT', TOO_MANY);
  };
  let step = call.evaluation.next([]);
  while (step.done !== true) step = call.evaluation.next(find(state, step.value, count));
  return { writes: [], payload: step.value };
}

const TOO_MANY = `the list has more than ${MOST_RECORDS} records: ask for pages of it, by GetAssetsPage or GetAssetHistoryPage`;

function find(
  state: StateReader,
  query: RangeQuery | HistoryQuery,
  count: (records: number) => void,
): readonly StateEntry[] {
  if ('start' in query) {
    const entries = state.range(query);
    count(entries.length);
    return entries;
  }
  for (const change of state.history(query.historyOf)) {
    count(1);
    if (!query.add(change)) break;
  }
  return [];
}

/** {@link prepare} has counted the arguments before they are passed to a rule. */
function write<const P extends readonly string[]>(
  name: string,
  parameters: P,
  rule: Rule<Arguments<P>>,
): RunnableFunction {
  const prepare = (args: readonly string[]): DecidingCall => ({
    reads: rule.reads(args as Arguments<P>),
    decide: (stored) => rule.decide(args as Arguments<P>, stored),
  });
  return { name, parameters, isQuery: false, isLong: false, prepare };
}

/** A write that parses its arguments once, such as that of several assets. */
function prepared<const P extends readonly string[]>(
  name: string,
  parameters: P,
  prepareCall: (args: Arguments<P>) => DecidingCall,
): RunnableFunction {
  const prepare = (args: readonly string[]): DecidingCall => prepareCall(args as Arguments<P>);
  return { name, parameters, isQuery: false, isLong: false, prepare };
}

function query<const P extends readonly string[]>(
  name: string,
  parameters: P,
  rule: Rule<Arguments<P>>,
): RunnableFunction {
  return { ...write(name, parameters, rule), isQuery: true };
}

function list<const P extends readonly string[]>(
  name: string,
  parameters: P,
  evaluate: (args: Arguments<P>) => Evaluation,
): RunnableFunction {
  const prepare = (args: readonly string[]): EvaluatingCall => ({ evaluation: evaluate(args as Arguments<P>) });
  return { name, parameters, isQuery: true, isLong: true, prepare };
}

function unknownFunction(name: string): string {
  const shown = name.length <= 64 ? `${JSON.stringify(name)} is not a function of this contract` : 'no such function';
  return `${shown}; it has ${[...BY_NAME.keys()].join(', ')}`;
}

/** The name of the contract in fabric-samples. */
export const CONTRACT_NAME = 'AssetTransferContract';

/** The function of every chaincode on the contract API that returns its metadata. */
export const METADATA_FUNCTION = 'org.hyperledger.fabric:GetMetadata';

/** Returns the contract's functions in the form of fabric-contract-api's metadata, as JSON. */
export function contractMetadata(): string {
  const transactions = [...CONTRACT_FUNCTIONS.values()].map(({ name, parameters, isQuery }) => ({
    name,
    tag: [isQuery ? 'evaluate' : 'submit'],
    parameters: parameters.map((parameter) => ({ name: parameter, schema: { type: 'string' } })),
  }));
  return JSON.stringify({ contracts: { [CONTRACT_NAME]: { name: CONTRACT_NAME, transactions } } });
}
