import { resolve } from 'node:path';
import { misconfigured } from '#ledger-gateway';
import {
  SimulationError,
  type Chaincode,
  type ChaincodeCall,
  type ChaincodeHost,
  type ChaincodesOptions,
  type DefinedCollection,
  type SimulationLimits,
  type Simulator,
} from './chaincode.port.js';
import { removeLeftProcesses, type ProcessOptions } from './chaincode-process.js';
import type { Outcome } from './chaincode-stream.js';
import { Collections } from './collections/collections.js';
import { HostedChaincode, type HostedOptions } from './hosted-chaincode.js';
import { Isolation } from './isolation.js';
import { readIndexes } from './launch/index-files.js';
import { planLaunch } from './launch/plan-launch.js';
import { encodeResponse, MessageType } from './messages.js';
import { RegisterServer } from './register-server.js';
import { servedAddress } from './launch/served-address.js';

/** Limits of each call. A peer returns at most 100,000 entries of a range. */
const LIMITS: SimulationLimits = { keysRead: 200_000, bytesWritten: 16 * 1024 * 1024 };

/** Options of {@link openChaincodeHost}. */
export interface HostOptions extends Pick<ProcessOptions, 'mspId' | 'logger'> {
  /** The ledger's directory, which no chaincode may read. */
  readonly dataDir: string;
  readonly chaincodes: ChaincodesOptions;
}

/**
 * Checks the configured chaincodes. Nothing is started yet.
 * @throws `LEDGER.MISCONFIGURED` with a line for each folder that cannot be started
 */
export function openChaincodeHost(options: HostOptions): ChaincodeHost {
  return new Host(options);
}

class Host implements ChaincodeHost {
  readonly names: readonly string[];
  readonly limits = LIMITS;
  readonly collections: readonly DefinedCollection[];
  readonly checksDeterminism: boolean;
  readonly timeout: number;
  readonly #dataDir: string;
  readonly #logger: HostOptions['logger'];
  #isolation: Isolation | undefined;
  #registerServer: Promise<RegisterServer> | undefined;
  readonly #hosted: ReadonlyMap<string, HostedChaincode>;
  /** Whether a chaincode needs bubblewrap. */
  readonly #isConfined: boolean;
  #own: Chaincode | undefined;

  constructor({ chaincodes, ...shared }: HostOptions) {
    const { timeout, checksDeterminism, isWatched, hasQueries } = chaincodes;
    this.checksDeterminism = checksDeterminism;
    this.timeout = timeout;
    this.#dataDir = shared.dataDir;
    this.#logger = shared.logger;
    const invoke = this.#invoke.bind(this);
    const places = placesOf(chaincodes, shared);
    const registerServer = (): Promise<RegisterServer> => (this.#registerServer ??= RegisterServer.open(this.#dataDir));
    const needs = { registerServer, isolation: () => this.#isolation };
    const hosted = places.map((place) => {
      return new HostedChaincode({ ...shared, ...place, ...needs, timeout, isWatched, hasQueries, invoke });
    });
    this.#isConfined = places.some(({ source }) => 'confinement' in source && source.confinement === 'bubblewrap');
    this.#hosted = new Map(hosted.map((each) => [each.name, each]));
    this.names = [...this.#hosted.keys()];
    this.collections = places.flatMap(({ name: chaincode, collections }) => {
      return collections.defined.map(({ name, blockToLive }) => ({ chaincode, name, blockToLive }));
    });
  }

  get(name: string): Chaincode | undefined {
    return this.#hosted.get(name);
  }

  async start(own: Chaincode): Promise<void> {
    this.#own = own;
    removeLeftProcesses(this.#dataDir);
    if (this.#isConfined) this.#isolation = await this.#probe();
    for (const each of this.#hosted.values()) void each.start();
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#hosted.values(), async (each) => each.close()));
    (await this.#registerServer)?.close();
  }

  async #probe(): Promise<Isolation | undefined> {
    const probed = await Isolation.probe();
    if (typeof probed !== 'string') return probed;
    const text = 'Chaincodes other than Node run without isolation, with the rights of this process';
    this.#logger?.warn({}, `${text}, because bubblewrap does not work here: ${probed}.`);
    return undefined;
  }

  /** Executes a chaincode for another one. */
  async #invoke(name: string, call: ChaincodeCall, simulator: Simulator): Promise<Outcome> {
    const hosted = this.#hosted.get(name);
    if (hosted !== undefined) return hosted.execute(call, simulator);
    if (name !== this.#own?.name) {
      const text = `invalid invocation: [channel ${call.channel}] failed to get chaincode container info for ${name}`;
      throw new SimulationError(`${text}: chaincode ${name} not found`);
    }
    const { status, message, payload } = await this.#own.invoke(call, simulator);
    const response = encodeResponse(status, message, payload);
    return { type: MessageType.COMPLETED, payload: response, chaincodeEvent: undefined };
  }
}

type Place = Pick<HostedOptions, 'name' | 'source' | 'collections'>;

/** Returns the addresses of chaincodes that are served, and how the others are started. */
function placesOf(
  { sources, hasQueries }: ChaincodesOptions,
  { dataDir, mspId }: Pick<HostOptions, 'dataDir' | 'mspId'>,
): readonly Place[] {
  const faults: string[] = [];
  const places = sources.flatMap(({ name, source }): Place[] => {
    const address = servedAddress(source);
    if (address !== undefined) {
      return [{ name, source: { address, path: undefined }, collections: new Collections(mspId, []) }];
    }
    const plan = planLaunch(source, dataDir);
    const fault = 'fault' in plan ? plan.fault : hasQueries ? faultOfIndexes(plan.path) : undefined;
    if (!('fault' in plan) && fault === undefined) {
      return [{ name, source: plan, collections: new Collections(mspId, plan.collections) }];
    }
    faults.push(`LEDGER_CHAINCODES: the chaincode "${name}" cannot be started from ${resolve(source)}: ${fault}`);
    return [];
  });
  if (faults.length > 0) throw misconfigured(faults.join('\n'));
  return places;
}

/** Returns the error in an index file of a folder; undefined when there is none. */
function faultOfIndexes(path: string | undefined): string | undefined {
  try {
    readIndexes(path);
    return undefined;
  } catch (error) {
    return `${(error as Error).message}.`;
  }
}
