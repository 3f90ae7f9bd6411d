import { SimulationError, type KeyModification, type PrivateState, type Simulator } from '#chaincode-host';
import type { ChaincodeCall } from '../../libs/chaincode-host/src/chaincode.port.js';
import { Collections, type Collection } from '../../libs/chaincode-host/src/collections/collections.js';
import { HostedChaincode } from '../../libs/chaincode-host/src/hosted-chaincode.js';
import type { StandInChaincode } from '../../libs/fabric-ledger/src/testing/stand-in-chaincode.js';
import { STAND_IN_MSP } from '../../libs/fabric-ledger/src/testing/stand-in-identities.js';
import type { StandInProposal } from '../../libs/fabric-ledger/src/testing/stand-in-proposal.js';
import type { SimulatedState } from '../../libs/fabric-ledger/src/testing/simulated-state.js';
import { freePort } from './free-port.js';
import { Program } from './program.js';

/** The collection of documents on a network of one organization. */
export const DOCUMENTS: Collection = {
  ...{ name: 'documents', members: [{ mspId: STAND_IN_MSP, role: 'member' }], blockToLive: 0 },
  ...{ memberOnlyRead: true, memberOnlyWrite: true },
};

/**
 * The chaincode of records as a service (`npm run chaincode -- serve`), to which the stand-in's peers connect: with the chaincode
 * protocol of the embedded ledger, on the state of the stand-in.
 */
export class RecordsService {
  readonly #program: Program;
  readonly #hosted: HostedChaincode[] = [];
  readonly #address: string;

  private constructor(program: Program, address: string) {
    this.#program = program;
    this.#address = address;
  }

  static async start(): Promise<RecordsService> {
    const address = `127.0.0.1:${await freePort()}`;
    const args = ['serve', '--contract', 'records', '--id', 'records_1.0:0', '--address', address];
    const program = new Program({ main: 'src/chaincode.js', args });
    await program.printed('listens on');
    return new RecordsService(program, address);
  }

  /**
   * Returns it as the peers of a network execute it.
   * @param collections - those of its definition on the channel
   */
  on(collections: readonly Collection[]): StandInChaincode {
    const hosted = new HostedChaincode({
      ...{ name: 'records', source: { address: this.#address, path: undefined }, mspId: STAND_IN_MSP },
      ...{ dataDir: '', timeout: 30_000, isWatched: false, hasQueries: false, isolation: () => undefined },
      collections: new Collections(STAND_IN_MSP, collections),
      registerServer: () => Promise.reject(new Error('it is served')),
      invoke: () => Promise.reject(new Error('it invokes no other chaincode')),
    });
    this.#hosted.push(hosted);
    void hosted.start();
    return async (_name, _args, state, proposal) => {
      const { status, message, payload, event } = await hosted.invoke(callOf(proposal), new StandInSimulator(state));
      if (status >= 400) throw Object.assign(new Error(message), { status });
      state.event = event;
      return payload;
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#hosted.map((each) => each.close()));
    await this.#program.end();
  }
}

function callOf(proposal: StandInProposal): ChaincodeCall {
  const { channel, transactionId, timestamp, function: name, arguments: args, creator, transient, signed } = proposal;
  const call = { channel, transactionId, timestamp: Date.parse(timestamp), creator, transient };
  return { ...call, arguments: [Buffer.from(name), ...args], signedProposal: signed };
}

/** The state of one simulation of the stand-in, as the chaincode protocol accesses it. */
class StandInSimulator implements Simulator {
  readonly #state: SimulatedState;

  constructor(state: SimulatedState) {
    this.#state = state;
  }

  getState(_namespace: string, key: string): Uint8Array | undefined {
    return this.#state.value(key);
  }

  putState(_namespace: string, key: string, value: Uint8Array): void {
    this.#state.write({ key, value });
  }

  deleteState(_namespace: string, key: string): void {
    this.#state.write({ key, value: undefined });
  }

  getStateByRange(_namespace: string, { start, end }: { readonly start: string; readonly end: string }) {
    const entries = this.#state.range({ start, end, limit: Number.MAX_SAFE_INTEGER }).values();
    return { next: () => entries.next().value, bookmark: () => '' };
  }

  getHistoryForKey(_namespace: string, key: string): Iterator<KeyModification, undefined> {
    return this.#state.history(key).values();
  }

  collection({ collection }: { readonly collection: string }): PrivateState {
    const found = this.#state.collection(collection);
    const read = (key: string): Uint8Array | undefined => {
      const { hash, value } = found.read(key);
      if (hash === undefined || value !== undefined) return hash && value;
      const { blockNumber, transactionNumber } = hash.version;
      const version = `Public hash version = {BlockNum: ${blockNumber}, TxNum: ${transactionNumber}}`;
      const text = `private data matching public hash version is not available. ${version}, Private data version = <nil>`;
      throw new SimulationError(text);
    };
    return {
      get: read,
      hash: (key) => found.read(key).hash?.value,
      put: (key, value) => {
        found.write({ key, value });
      },
      delete: (key) => {
        found.write({ key, value: undefined });
      },
      purge: (key) => {
        found.write({ key, value: undefined, isPurge: true });
      },
      ...{ metadata: unused, putMetadata: unused, range: unused },
    };
  }

  getStateMetadata = unused;
  putStateMetadata = unused;
  getQueryResult = unused;
  reset = unused;
}

function unused(): never {
  throw new Error('the contract of records does not need this');
}
