import { Contract, type Context } from 'fabric-contract-api';
import { CONTRACT_FUNCTIONS } from '../contract/contract-functions.js';
import { invoke } from '../contract/invoke.js';
import { PeerState, transactionContext } from './peer-state.js';

const decoder = new TextDecoder();

/**
 * The contract on a peer, under the name that fabric-samples gives it: `ReadAsset` and `AssetTransferContract:ReadAsset`
 * are the same function. Its transactions are those of {@link CONTRACT_FUNCTIONS}, added to the prototype below, where
 * fabric-contract-api looks for them.
 */
export class AssetTransferContract extends Contract {
  constructor() {
    super('AssetTransferContract');
  }

  /**
   * Refuses with the contract's own code and names its functions.
   * @throws {@link ContractError} FUNCTION_UNKNOWN
   */
  override async unknownTransaction(context: Context): Promise<void> {
    const { fcn, params } = context.stub.getFunctionAndParameters();
    await run(context, fcn.slice(fcn.indexOf(':') + 1), params);
  }
}

/**
 * The payload as text: all of the contract's answers are UTF-8, and fabric-contract-api sends a text as it is but would
 * write a byte array out as JSON.
 */
async function run({ stub }: Context, name: string, args: readonly string[]): Promise<string> {
  return decoder.decode(await invoke(name, args, new PeerState(stub), transactionContext(stub)));
}

for (const name of CONTRACT_FUNCTIONS.keys()) {
  Object.defineProperty(AssetTransferContract.prototype, name, {
    // No parameters are declared, so that a wrong number of them reaches the contract, which refuses with its code.
    value: (context: Context, ...args: string[]): Promise<string> => run(context, name, args),
  });
}
