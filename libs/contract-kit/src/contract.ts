import { textArguments } from './arguments.js';
import { ContractError } from './contract-error.js';
import type {
  Arguments,
  ContractFunction,
  DecidingCall,
  Decision,
  Evaluation,
  HistoryEntry,
  HistoryQuery,
  PrivateKey,
  RangeQuery,
  Rule,
  StateEntry,
  StoredValue,
  TransactionFacts,
} from './contract-function.js';

/** A call that reads lists. */
export interface EvaluatingCall {
  readonly evaluation: Evaluation;
  /** The functions that return the list in pages; empty when the call itself returns a page. */
  readonly pagedBy: string;
}

/** A call with its arguments, before anything was read. */
export type PreparedCall = DecidingCall | EvaluatingCall;

/** A state that can be read synchronously. */
export interface StateReader {
  value(key: string): StoredValue;
  /** Returns a private value; undefined also for one that is not stored here. Absent where no private values are. */
  privateValue?(place: PrivateKey): StoredValue;
  range(query: RangeQuery): readonly StateEntry[];
  /** Returns every committed change of the key, newest first; read no further than it is iterated. */
  history(key: string): Iterable<HistoryEntry>;
}

/** A contract: functions that decide from values, without access to the state. */
export interface Contract {
  /** The name in its metadata, which may precede the name of a function: `AssetTransferContract:ReadAsset`. */
  readonly name: string;
  /** The functions by name. */
  readonly functions: ReadonlyMap<string, ContractFunction>;
  /** The codes of its refusals. */
  readonly codes: readonly string[];
  /**
   * Finds the function of a call and the keys that it reads.
   * @throws {@link ContractError} when there is no such function, or for arguments that are refused whatever is stored
   */
  prepare(functionName: string, args: readonly (string | Uint8Array)[], transaction?: TransactionFacts): PreparedCall;
  /** Returns the functions in the form of fabric-contract-api's metadata, as JSON. */
  metadata(): string;
}

/** A function with what executes it. */
export interface RunnableFunction extends ContractFunction {
  prepare(args: readonly string[], transaction: TransactionFacts): PreparedCall;
}

/** The function of every chaincode on the contract API that returns its metadata. */
export const METADATA_FUNCTION = 'org.hyperledger.fabric:GetMetadata';

/** The transaction of a call that is only evaluated where no transaction id exists. */
const NO_TRANSACTION: TransactionFacts = { transactionId: '0'.repeat(64), timestamp: '1970-01-01T00:00:00.000Z' };

/** Creates a contract from its functions, in the order in which they are listed. */
export function defineContract(
  name: string,
  codes: readonly string[],
  functions: readonly RunnableFunction[],
): Contract {
  const byName = new Map(functions.map((it) => [it.name, it]));
  return {
    name,
    codes,
    functions: byName,
    prepare(functionName, args, transaction = NO_TRANSACTION) {
      const found = byName.get(functionName);
      if (found === undefined) throw new ContractError('FUNCTION_UNKNOWN', unknownFunction(functionName, byName));
      if (args.length !== found.parameters.length) {
        throw new ContractError(
          'INVALID_ARGUMENT',
          `${functionName}(${found.parameters.join(', ')}) takes ${found.parameters.length} arguments, not ${args.length}`,
        );
      }
      return found.prepare(textArguments(found.parameters, args), transaction);
    },
    metadata() {
      const transactions = functions.map(({ name: functionName, parameters, isQuery }) => ({
        name: functionName,
        tag: [isQuery ? 'evaluate' : 'submit'],
        parameters: parameters.map((parameter) => ({ name: parameter, schema: { type: 'string' } })),
      }));
      return JSON.stringify({ contracts: { [name]: { name, transactions } } });
    },
  };
}

/** Maximum number of records that one call reads from lists; peers have such a limit too (`ledger.state.totalQueryLimit` in core.yaml). */
export const MOST_RECORDS = 10_000;

/**
 * Runs a call on a state that can be read synchronously.
 * @throws {@link ContractError} when the contract refuses, or a list has more than {@link MOST_RECORDS}; what the state throws
 */
export function decideOn(state: StateReader, call: PreparedCall): Decision {
  let left = MOST_RECORDS;
  const count = (records: number): void => {
    left -= records;
    if (left < 0) throw tooMany('decide' in call ? '' : call.pagedBy);
  };
  if ('decide' in call) {
    const { reads, privateReads = [], historyOf } = call;
    const changes: HistoryEntry[] = [];
    const add = (change: HistoryEntry): boolean => changes.push(change) > 0;
    if (historyOf !== undefined) find(state, { historyOf, add }, count);
    return call.decide(
      reads.map((key) => state.value(key)),
      privateReads.map((place) => state.privateValue?.(place)),
      changes,
    );
  }
  let step = call.evaluation.next([]);
  while (step.done !== true) step = call.evaluation.next(find(state, step.value, count));
  return { writes: [], payload: step.value };
}

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

/** A write by a rule. A contract counts the arguments before they are passed to the rule. */
export function write<const P extends readonly string[]>(
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

/** A write that parses its arguments once, such as that of several assets, or needs facts of its transaction. */
export function prepared<const P extends readonly string[]>(
  name: string,
  parameters: P,
  prepareCall: (args: Arguments<P>, transaction: TransactionFacts) => DecidingCall,
): RunnableFunction {
  const prepare = (args: readonly string[], transaction: TransactionFacts): DecidingCall =>
    prepareCall(args as Arguments<P>, transaction);
  return { name, parameters, isQuery: false, isLong: false, prepare };
}

/** A query of a few keys. */
export function query<const P extends readonly string[]>(
  name: string,
  parameters: P,
  rule: Rule<Arguments<P>>,
): RunnableFunction {
  return { ...write(name, parameters, rule), isQuery: true };
}

/**
 * A query of lists.
 * @param pagedBy - see {@link EvaluatingCall.pagedBy}
 */
export function list<const P extends readonly string[]>(
  name: string,
  parameters: P,
  evaluate: (args: Arguments<P>) => Evaluation,
  pagedBy = '',
): RunnableFunction {
  const prepare = (args: readonly string[]): EvaluatingCall => ({
    evaluation: evaluate(args as Arguments<P>),
    pagedBy,
  });
  return { name, parameters, isQuery: true, isLong: true, prepare };
}

function tooMany(pagedBy: string): ContractError {
  const advice = pagedBy === '' ? '' : `: ask for pages of it, by ${pagedBy}`;
  return new ContractError('INVALID_ARGUMENT', `the list has more than ${MOST_RECORDS} records${advice}`);
}

function unknownFunction(name: string, known: ReadonlyMap<string, unknown>): string {
  const shown = name.length <= 64 ? `${JSON.stringify(name)} is not a function of this contract` : 'no such function';
  return `${shown}; it has ${[...known.keys()].join(', ')}`;
}
