import { ASSET_CONTRACT } from '#asset-contract';
import {
  ContractError,
  decideOn,
  type HistoryEntry,
  METADATA_FUNCTION,
  type RangeQuery,
  type StateEntry,
  type StateReader,
  type StoredValue,
} from '#contract-kit';
import type { Chaincode, ChaincodeCall, ChaincodeResponse, Simulator } from '#chaincode-host';

const OK = 200;
const ERROR = 500;

/** The ledger's own contract, for the chaincodes that invoke it. It answers as it does on a peer. */
export class OwnContract implements Chaincode {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  async invoke({ arguments: args }: ChaincodeCall, simulator: Simulator): Promise<ChaincodeResponse> {
    return await Promise.resolve(this.#respond(args, simulator));
  }

  #respond(args: readonly Uint8Array[], simulator: Simulator): ChaincodeResponse {
    const [name = new Uint8Array(), ...rest] = args;
    const functionName = Buffer.from(name).toString();
    try {
      const payload =
        functionName === METADATA_FUNCTION
          ? Buffer.from(ASSET_CONTRACT.metadata())
          : this.#run(functionName, rest, simulator);
      return { status: OK, message: '', payload };
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      return { status: ERROR, message: error.message, payload: new Uint8Array() };
    }
  }

  #run(name: string, args: readonly Uint8Array[], simulator: Simulator): Uint8Array {
    // Its event is dropped, because another chaincode was called.
    const { writes, payload } = decideOn(new SimulatedState(this.name, simulator), ASSET_CONTRACT.prepare(name, args));
    for (const { key, value } of writes) {
      if (value === undefined) simulator.deleteState(this.name, key);
      else simulator.putState(this.name, key, value);
    }
    return payload;
  }
}

/** The state of a namespace as the contract reads it. */
class SimulatedState implements StateReader {
  readonly #namespace: string;
  readonly #simulator: Simulator;

  constructor(namespace: string, simulator: Simulator) {
    this.#namespace = namespace;
    this.#simulator = simulator;
  }

  value(key: string): StoredValue {
    return this.#simulator.getState(this.#namespace, key);
  }

  range({ start, end, limit }: RangeQuery): readonly StateEntry[] {
    const entries: StateEntry[] = [];
    const range = this.#simulator.getStateByRange(this.#namespace, { start, end });
    for (let entry = range.next(); entry !== undefined; entry = range.next()) {
      entries.push(entry);
      if (entries.length === limit) break;
    }
    return entries;
  }

  *history(key: string): Iterable<HistoryEntry> {
    const changes = this.#simulator.getHistoryForKey(this.#namespace, key);
    for (let next = changes.next(); next.done !== true; next = changes.next()) yield next.value;
  }
}
