import { LedgerError, LedgerTimeoutError, UnavailableError } from '../../errors/ledger.errors.js';
import type { FabricCall, FabricTransport, RecordedTransaction } from '../../fabric-client/fabric-transport.js';
import { heightIn, QUERY_CHAINCODE } from '../../fabric-client/chain-queries.js';
import { transactionInBlock } from '../../fabric-client/recorded-block.js';
import type { StageLimits } from '../../fabric-client/stage-limits.js';
import type { CallOptions } from '../../ports/ledger.port.js';
import { CommitWatch, type RecordedAt } from './commit-watch.js';
import { endorsedResult, isRefusedByOrderer, outcomeUnknown, uncommittedError } from './network-errors.js';
import { networkBlocks } from './network-blocks.js';
import type { NetworkSession } from './network-session.js';
import type { Network, Transaction } from 'fabric-network';
import { requireOrderer } from './require-orderer.js';
import type { SessionKeeper } from './session-keeper.js';
import { untilTime } from './until-time.js';

/** How long the chain is watched for a transaction whose ordering failed in a way that leaves its end open. */
const WATCH_AFTER_FAILURE_MS = 5000;

/** What the transport is made of. */
export interface NetworkTransportOptions {
  readonly sessions: SessionKeeper;
  /** The peers of the connection profile, for texts. */
  readonly peers: string;
  readonly limits: StageLimits;
}

/** Calls through fabric-network: the client itself finds endorsers, asks them, and hands transactions to the orderers. */
export class NetworkTransport implements FabricTransport {
  readonly #it: NetworkTransportOptions;

  constructor(options: NetworkTransportOptions) {
    this.#it = options;
  }

  async evaluate(call: FabricCall, options: CallOptions): Promise<Uint8Array> {
    return this.#inSession(call, async (session) => {
      const network = await untilTime(session.network(call.channel), options, tooLate);
      const transaction = network.getContract(call.chaincode).createTransaction(call.function);
      return untilTime(transaction.evaluate(...call.arguments), options, tooLate);
    });
  }

  async submit(call: FabricCall, options: CallOptions): Promise<RecordedTransaction> {
    return this.#inSession(call, async (session) => {
      const network = await untilTime(session.network(call.channel), options, tooLate);
      const transaction = network.getContract(call.chaincode).createTransaction(call.function);
      const transactionId = transaction.getTransactionId();
      const watch = this.#watch(call, { network, transactionId, options, mspId: session.identity.mspId });
      transaction.setEventHandler(() => watch);
      const result = await carry(transaction, { call, watch, options });
      if (watch.missedEvents) this.#it.sessions.discard(session);
      if (watch.outcome === undefined) throw outcomeUnknown(undefined, transactionId);
      return { transactionId, result, ...watch.outcome };
    });
  }

  /** Orderers are connected to, not asked: one that hangs, or that has no quorum, looks as if it were well. */
  async ordering(channel: string, options: CallOptions): Promise<void> {
    await this.#inSession({ channel, chaincode: QUERY_CHAINCODE, function: '', arguments: [] }, async (session) => {
      const network = await untilTime(session.network(channel), options, tooLate);
      await untilTime(requireOrderer(network.getChannel()), options, tooLate);
    });
  }

  async *blocks(channel: string, startBlock: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const ask = (name: string, ...args: string[]): Promise<Uint8Array> =>
      this.evaluate({ channel, chaincode: QUERY_CHAINCODE, function: name, arguments: [channel, ...args] }, {});
    const session = await this.#it.sessions.session();
    try {
      yield* networkBlocks({
        network: await session.network(channel),
        startBlock,
        signal,
        read: (number) => ask('GetBlockByNumber', String(number)),
        height: async () => heightIn(await ask('GetChainInfo')),
      });
    } catch (error) {
      throw this.#failure(error, { channel, chaincode: QUERY_CHAINCODE, function: '', arguments: [] }, session);
    }
  }

  close(): Promise<void> {
    this.#it.sessions.close();
    return Promise.resolve();
  }

  #watch(
    { channel }: FabricCall,
    it: Readonly<{ network: Network; transactionId: string; options: CallOptions; mspId: string }>,
  ): CommitWatch {
    const lookUp = async (): Promise<RecordedAt | undefined> => {
      const call = {
        channel,
        chaincode: QUERY_CHAINCODE,
        function: 'GetBlockByTxID',
        arguments: [channel, it.transactionId],
      };
      return transactionInBlock(await this.evaluate(call, {}), it.transactionId);
    };
    return new CommitWatch({ ...it, limits: this.#it.limits, lookUp });
  }

  /** Does something in the session, and gives the session up when the network is out of reach in it. */
  async #inSession<T>(call: FabricCall, work: (session: NetworkSession) => Promise<T>): Promise<T> {
    const session = await this.#it.sessions.session();
    try {
      return await work(session);
    } catch (error) {
      throw this.#failure(error, call, session);
    }
  }

  #failure(error: unknown, { channel, chaincode }: FabricCall, session: NetworkSession): Error {
    const { description } = session.identity;
    const failure = uncommittedError(error, { channel, chaincode, endpoint: this.#it.peers, identity: description });
    if (failure instanceof UnavailableError) this.#it.sessions.discard(session);
    return failure;
  }
}

/** Submits, and finds out what became of a transaction whose ordering failed. */
async function carry(
  transaction: Transaction,
  { call, watch, options }: Readonly<{ call: FabricCall; watch: CommitWatch; options: CallOptions }>,
): Promise<Uint8Array> {
  try {
    return await untilTime(transaction.submit(...call.arguments), options, () => {
      watch.abandon();
      return watch.isOrdering ? outcomeUnknown(undefined, transaction.getTransactionId()) : tooLate();
    });
  } catch (error) {
    if (!watch.isOrdering || error instanceof LedgerError || isRefusedByOrderer(error)) throw error;
    await watch.settle(WATCH_AFTER_FAILURE_MS);
    if (watch.outcome === undefined) throw outcomeUnknown(error, transaction.getTransactionId());
    return endorsedResult(error);
  } finally {
    watch.cancelListening();
  }
}

function tooLate(): LedgerTimeoutError {
  return new LedgerTimeoutError('The time was up before the peers answered.');
}
