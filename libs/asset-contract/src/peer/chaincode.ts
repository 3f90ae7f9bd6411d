import { Contract, type Context } from 'fabric-contract-api';
import type { ChaincodeInterface } from 'fabric-shim';
import ChaincodeFromContract from 'fabric-shim/lib/contract-spi/chaincodefromcontract.js';
import { CONTRACT_FUNCTIONS } from '../contract/contract.js';
import { runOnPeer } from './run-on-peer.js';

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
  return decoder.decode(await runOnPeer(stub, name, args));
}

for (const name of CONTRACT_FUNCTIONS.keys()) {
  Object.defineProperty(AssetTransferContract.prototype, name, {
    // No parameters are declared, so that a wrong number of them reaches the contract, which refuses with its code.
    value: (context: Context, ...args: string[]): Promise<string> => run(context, name, args),
  });
}

/** A parameter as fabric-contract-api takes it from a serializer. */
interface Parameter {
  readonly value: string;
  readonly jsonForValidation: string;
}

/**
 * Texts go over the wire as UTF-8, as they are; what is no text (the contract's metadata) goes as JSON. Takes the place
 * of fabric-contract-api's own serializer, which throws on objects: it calls a function that class-transformer 0.4.1,
 * the version it gets, no longer has.
 */
export class TextSerializer {
  toBuffer(result: unknown): Buffer {
    if (result === undefined || result === null) return Buffer.alloc(0);
    return Buffer.from(typeof result === 'string' ? result : JSON.stringify(result));
  }

  fromBuffer(data: Uint8Array): Parameter {
    const value = Buffer.from(data).toString();
    return { value, jsonForValidation: JSON.stringify(value) };
  }
}

/** What `fabric-chaincode-node` looks for in a package's main file. It adds a contract of its own to this array. */
export const contracts: (typeof AssetTransferContract)[] = [AssetTransferContract];

/** The serializer by its name, and which one transactions use; `fabric-chaincode-node` adds its own to the names. */
export const serializers: {
  readonly transaction: 'text';
  readonly serializers: { text: typeof TextSerializer };
} = { transaction: 'text', serializers: { text: TextSerializer } };

/** The contract in the form that the shim serves to a peer, with the metadata function that every contract has. */
export function makeChaincode(): ChaincodeInterface {
  return new ChaincodeFromContract([...contracts], serializers, {}, 'asset-contract');
}
