import { ContractError } from './contract-error.js';
import { RUNNABLE_FUNCTIONS } from './contract-functions.js';
import type { MaybePromise, TransactionContext, WorldState } from './world-state.js';

/**
 * Runs one function of the contract on the state and gives its response payload.
 * @throws {@link ContractError} when the contract refuses; what the state throws passes through
 */
export async function invoke(
  functionName: string,
  args: readonly string[],
  state: WorldState,
  context: TransactionContext,
): Promise<Uint8Array> {
  return invokeAtOnce(functionName, args, state, context);
}

/**
 * The same as {@link invoke}, without a promise where the state answers without one: then a refusal is thrown.
 * @throws {@link ContractError}
 */
export function invokeAtOnce(
  functionName: string,
  args: readonly string[],
  state: WorldState,
  context: TransactionContext,
): MaybePromise<Uint8Array> {
  const found = RUNNABLE_FUNCTIONS.get(functionName);
  if (found === undefined) throw new ContractError('FUNCTION_UNKNOWN', unknownFunction(functionName));
  if (args.length !== found.parameters.length) {
    const parameters = found.parameters.join(', ');
    throw new ContractError(
      'INVALID_ARGUMENT',
      `${functionName}(${parameters}) takes ${found.parameters.length} arguments, not ${args.length}`,
    );
  }
  return found.run(state, args, context);
}

function unknownFunction(name: string): string {
  const shown = name.length <= 64 ? `${JSON.stringify(name)} is not a function of this contract` : 'no such function';
  return `${shown}; it has ${[...RUNNABLE_FUNCTIONS.keys()].join(', ')}`;
}
