import { setTimeout as delay } from 'node:timers/promises';
import type { Chaincode, ChaincodeCall, ChaincodeHost, ChaincodeResponse } from '#chaincode-host';
import {
  encodeProposal,
  encodeSignedProposal,
  type Proposal,
  type RangeRead,
  type ReadWriteSets,
  TransactionEncoder,
} from '#fabric-codec/encode';
import { type CallOptions, type LedgerCall, LedgerError, type LedgerLogger, type SubmitResult } from '#ledger-gateway';
import { argumentBytes, withoutTransient } from '#ledger-gateway/driver';
import { CallSlots } from '#threads';
import type { PrivateReader } from '../private/private-reader.js';
import { rangeName, storedKey } from '../store/schema.js';
import { CHAINCODE_VERSION } from '../writer/block-forge.js';
import { StaleError, type SignedId, type WriterClient } from '../writer/writer-client.js';
import { ContentionQueue } from './contention-queue.js';
import { KeyPolicyWarning } from './key-policy-warning.js';
import { requireSame, type Simulated } from './determinism.js';
import { Simulation } from './simulation.js';
import { SnapshotPool, type Snapshot } from './snapshot-pool.js';

/** Peers endorse responses with a status from the first of these on and below the second (shim.OK, shim.ERRORTHRESHOLD). */
const [OK, REFUSED] = [200, 400];
/** Calls at the same time, as many as writes may wait for their commit. */
const MAX_CALLS = 5000;
/** Simulations of one call, of which all but the first run without contention from calls that have conflicted before. */
const MAX_SIMULATIONS = 50;

/** The identity that signs a call. */
export interface CallSigner {
  /** Message `msp.SerializedIdentity`. */
  readonly creator: Uint8Array;
  sign(bytes: Uint8Array): Uint8Array;
}

/** Options of {@link ChaincodeCalls}. */
export interface ChaincodeCallsOptions {
  readonly channel: string;
  readonly storePath: string;
  readonly host: ChaincodeHost;
  readonly writer: WriterClient;
  readonly privateReader: PrivateReader;
  readonly mspId: string;
  readonly logger?: LedgerLogger | undefined;
}

/** A call with its proposal, before its simulation. */
interface ProposedCall {
  readonly chaincode: Chaincode;
  readonly encoder: TransactionEncoder;
  readonly proposal: Proposal;
  readonly call: ChaincodeCall;
}

/**
 * Executes the calls of chaincodes as a peer does: a proposal is simulated on a snapshot, outside the writer, which
 * validates the finished simulation and commits it. A simulation that has read what was changed since is repeated with the
 * same transaction id, so that no invalid transaction enters the chain.
 */
export class ChaincodeCalls {
  readonly #options: ChaincodeCallsOptions;
  /** By chaincode, so that calls of one that take long delay no call of another. */
  readonly #pools = new Map<string, SnapshotPool>();
  readonly #slots = new CallSlots({ limit: MAX_CALLS, queueLimit: 0 });
  readonly #queue = new ContentionQueue();
  readonly #keyPolicies: KeyPolicyWarning;

  constructor(options: ChaincodeCallsOptions) {
    this.#options = options;
    this.#keyPolicies = new KeyPolicyWarning(options.mspId, options.logger);
  }

  /** The chaincodes of the configuration. */
  get names(): readonly string[] {
    return this.#options.host.names;
  }

  /**
   * Returns the response payload of a call. Its writes are dropped.
   * @throws `LEDGER.CHAINCODE_UNKNOWN`, `LEDGER.REFUSED` when the chaincode refuses, `LEDGER.OVERLOADED`, and what its
   * host throws
   */
  evaluate(call: LedgerCall, signer: CallSigner, id: Omit<SignedId, 'signer'>): Promise<Uint8Array> {
    return this.#run(call, async () => {
      const { response } = await this.#simulate(this.#propose(call, signer, id));
      return response.payload;
    });
  }

  /**
   * Executes a call as a transaction.
   * @param id - the nonce and the transaction id; must not be recorded yet
   * @throws as {@link evaluate}, `LEDGER.CONFLICT`, and what the writer throws
   */
  submit(call: LedgerCall, signer: CallSigner, id: SignedId, onStage: CallOptions['onStage']): Promise<SubmitResult> {
    return this.#run(call, () => this.#submit(call, signer, id, onStage));
  }

  /** Runs a call when there is a slot. Its error repeats no transient data. */
  async #run<T>({ transient }: LedgerCall, run: () => Promise<T>): Promise<T> {
    try {
      return await this.#slots.run(run);
    } catch (error) {
      throw withoutTransient(error, transient);
    }
  }

  async #submit(
    call: LedgerCall,
    signer: CallSigner,
    id: SignedId,
    onStage: CallOptions['onStage'],
  ): Promise<SubmitResult> {
    const proposed = this.#propose(call, signer, id);
    const { transactionId } = id;
    /** The keys that this call holds in the queue. */
    let held: ReadonlySet<string> = new Set();
    try {
      for (let simulations = 0; simulations < MAX_SIMULATIONS; simulations++) {
        onStage?.('endorsement');
        const simulated = await this.#simulate(proposed);
        const others = this.#queue.contended(keysOf(simulated.readWriteSets)).filter((key) => !held.has(key));
        let stale = others;
        if (others.length === 0) {
          onStage?.('commit', transactionId);
          const result = await this.#commit(call, id, proposed, simulated);
          if ('transactionId' in result) return result;
          stale = result.keys.slice();
        }
        const keys = new Set([...held, ...stale]);
        this.#queue.leave(held);
        held = new Set();
        await this.#queue.enter(keys);
        held = keys;
      }
    } finally {
      this.#queue.leave(held);
    }
    throw changedTooOften(transactionId);
  }

  /**
   * Waits for in-flight calls, then ends the chaincodes. Calls that need longer than one execution may take fail, since each of
   * those that a chaincode never answers would be executed again.
   */
  async close(): Promise<void> {
    const { host } = this.#options;
    const idle = this.#slots.idle();
    await Promise.race([idle, delay(host.timeout, undefined, { ref: false })]);
    await host.close();
    await idle;
    for (const pool of this.#pools.values()) pool.close();
  }

  #propose(
    { chaincode: name = '', function: fn, arguments: args, transient = new Map() }: LedgerCall,
    signer: CallSigner,
    { nonce, transactionId }: Omit<SignedId, 'signer'>,
  ): ProposedCall {
    const { channel, host } = this.#options;
    const chaincode = host.get(name);
    if (chaincode === undefined) throw this.#unknown(name);
    const { creator } = signer;
    const encoder = new TransactionEncoder({ channel, chaincode: { name, version: CHAINCODE_VERSION }, creator });
    const timestamp = Date.now();
    const input = { nonce: Buffer.from(nonce, 'hex'), transactionId, timestamp, function: fn, arguments: args };
    const proposal = encoder.propose(input);
    const bytes = encodeProposal(proposal, transient);
    const signedProposal = encodeSignedProposal(bytes, signer.sign(bytes));
    const call = {
      ...{ channel, transactionId, timestamp, creator, transient, signedProposal },
      arguments: [fn, ...args].map(argumentBytes),
    };
    return { chaincode, encoder, proposal, call };
  }

  #unknown(name: string): LedgerError {
    const names = this.#options.host.names.map((each) => JSON.stringify(each)).join(', ');
    return new LedgerError(
      'LEDGER.CHAINCODE_UNKNOWN',
      `There is no chaincode "${name}". LEDGER_CHAINCODES has ${names}.`,
    );
  }

  /**
   * Simulates a call. Private values are no part of a snapshot: a simulation that has read one that is newer is repeated.
   * @throws `LEDGER.REFUSED` when the chaincode refuses, or returns two results if it is executed twice; `LEDGER.CONFLICT`
   */
  async #simulate(proposed: ProposedCall): Promise<Simulated & { readonly height: number }> {
    const pool = this.#poolOf(proposed.chaincode);
    for (let simulations = 0; simulations < MAX_SIMULATIONS; simulations++) {
      const simulated = await pool.use(async (snapshot) => ({
        ...(await this.#simulateOn(proposed, snapshot)),
        height: snapshot.height,
      }));
      const isCurrent = async (): Promise<boolean> =>
        (await pool.use(({ height }) => Promise.resolve(height))) === simulated.height;
      if (simulated.isUncertain && !(await isCurrent())) continue;
      const { status, message } = simulated.response;
      if (status >= OK && status < REFUSED) return simulated;
      const refusal = new LedgerError('LEDGER.REFUSED', message, { chaincodeStatus: status });
      const { privateValues } = simulated;
      throw privateValues.length === 0 ? refusal : withoutTransient(refusal, textsOf(privateValues));
    }
    throw changedTooOften(proposed.call.transactionId);
  }

  async #simulateOn(proposed: ProposedCall, snapshot: Snapshot): Promise<Simulated> {
    const { chaincode } = proposed;
    const { starts } = chaincode;
    const simulated = await this.#invoke(proposed, snapshot);
    if (!this.#options.host.checksDeterminism) return simulated;
    const repeated = await this.#invoke(proposed, snapshot);
    // After an edit, the second execution may be of other code.
    if (chaincode.starts === starts) requireSame(simulated, repeated);
    return simulated;
  }

  #poolOf({ name }: Chaincode): SnapshotPool {
    const { storePath, privateReader, writer } = this.#options;
    let pool = this.#pools.get(name);
    if (pool === undefined) {
      pool = new SnapshotPool(storePath, privateReader, () => writer.logCopied);
      this.#pools.set(name, pool);
    }
    return pool;
  }

  async #invoke({ chaincode, call }: ProposedCall, snapshot: Snapshot): Promise<Simulated> {
    const simulation = new Simulation(snapshot, call.transactionId, this.#options.host.limits);
    let response: ChaincodeResponse;
    try {
      response = await chaincode.invoke(call, simulation);
    } finally {
      simulation.end();
    }
    const { privateValues, isUncertain } = simulation;
    return {
      response,
      readWriteSets: simulation.end(),
      privateWrites: simulation.privateWrites(),
      privateValues,
      isUncertain,
    };
  }

  /** @returns what was changed since, for a stale simulation */
  async #commit(
    call: LedgerCall,
    id: SignedId,
    { encoder, proposal, call: { timestamp } }: ProposedCall,
    { response, readWriteSets, privateWrites, height }: Simulated & { readonly height: number },
  ): Promise<SubmitResult | StaleError> {
    const { payload, event } = response;
    const encoded = encoder.respond(proposal, { readWriteSets, response, event });
    const { channelHeader, signatureHeader, chaincodePayload } = proposal;
    const parts = { channelHeader, signatureHeader, chaincodePayload };
    const simulation = { readWriteSets, ...(privateWrites && { privateWrites }), payload };
    const finished = { ...simulation, height, timestamp, proposal: parts, response: encoded };
    try {
      const committed = await this.#options.writer.submit(call, id, finished);
      this.#keyPolicies.check(readWriteSets);
      return committed;
    } catch (error) {
      if (error instanceof StaleError) return error;
      throw error;
    }
  }
}

/** Returns private values in the form in which transient data are searched for in messages. */
function textsOf(values: readonly Uint8Array[]): ReadonlyMap<string, Uint8Array> {
  return new Map(values.map((value, index) => [String(index), value]));
}

function changedTooOften(transactionId: string): LedgerError {
  const text = `Transaction ${transactionId} was simulated ${MAX_SIMULATIONS} times, and others changed the same data each time.`;
  return new LedgerError('LEDGER.CONFLICT', text, { transactionId });
}

/**
 * Yields what a simulation has read and written, by the names under which the writer reports changes. A write that reads
 * nothing cannot be stale, but would make the calls stale that are waiting for its key.
 */
function* keysOf(sets: ReadWriteSets): Generator<string> {
  for (const [namespace, { reads, writes, metadataWrites = [], rangeReads = [] }] of sets) {
    for (const { key } of [...reads, ...writes, ...metadataWrites]) yield storedKey(namespace, key);
    for (const range of rangeReads) yield* keysIn(namespace, range);
  }
}

function* keysIn(namespace: string, { startKey, endKey, reads }: RangeRead): Generator<string> {
  yield rangeName(namespace, startKey, endKey);
  for (const { key } of reads) yield storedKey(namespace, key);
}
