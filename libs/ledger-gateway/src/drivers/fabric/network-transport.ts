import type { Network, Transaction } from 'fabric-network';
import { LedgerError, isLedgerError } from '../../errors/ledger.errors.js';
import { serializeIdentity } from '../../fabric-blocks/encode/transaction-encoder.js';
import { requireSigner } from '../../fabric-client/call-errors.js';
import { findTransaction } from '../../fabric-blocks/decode/find-transaction.js';
import { QUERY_CHAINCODE, heightIn } from '../../fabric-client/chain.js';
import type {
  FabricCall,
  FabricTransport,
  GivenId,
  RecordedTransaction,
  StageLimits,
  SubmitTerms,
  FabricCallOptions,
} from '../../fabric-client/fabric-transport.js';
import type { SigningIdentity } from '../../fabric-client/signing-identity.js';
import { untilTime } from '../../fabric-client/waiting.js';
import { CommitWatch, requireOrderer, type RecordedAt } from './commit-watch.js';
import { endorsedAnswer } from './endorsed-answer.js';
import { networkBlocks } from './network-blocks.js';
import { endorsedResult, isRefusedByOrderer, uncertainError, uncommittedError } from './network-errors.js';
import type { NetworkSessions, SessionLease } from './network-sessions.js';

/** How long the chain is watched for a transaction whose ordering failed in a way that leaves its end open. */
const WATCH_AFTER_FAILURE_MS = 5000;

/** What the transport is made of. */
export interface NetworkTransportOptions {
  readonly sessions: NetworkSessions;
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

  async evaluate(call: FabricCall, options: FabricCallOptions): Promise<Uint8Array> {
    return this.#inSession(call, options, async (used) => {
      const network = await untilTime(used.session.network(call.channel), options, tooLate);
      const transaction = network.getContract(call.chaincode).createTransaction(call.function);
      return untilTime(transaction.evaluate(...call.arguments), options, tooLate);
    });
  }

  async submit(call: FabricCall, options: FabricCallOptions, { id }: SubmitTerms = {}): Promise<RecordedTransaction> {
    return this.#inSession(call, options, async (used) => {
      const network = await untilTime(used.session.network(call.channel), options, tooLate);
      const transaction = transactionOf(network, call, used.session.identity, id);
      const transactionId = transaction.getTransactionId();
      const watch = this.#watch(call, { network, transactionId, options, mspId: used.session.identity.mspId });
      transaction.setEventHandler(() => watch);
      const result = await carry(transaction, { call, watch, options });
      if (watch.missedEvents) this.#it.sessions.replace(used);
      if (watch.outcome === undefined) throw uncertainError(undefined, transactionId);
      return { transactionId, result, ...watch.outcome };
    });
  }

  async attest(call: FabricCall, options: FabricCallOptions): Promise<Uint8Array> {
    return this.#inSession(call, options, async ({ session }) => {
      const network = await untilTime(session.network(call.channel), options, tooLate);
      const channel = network.getChannel();
      const signer = await session.identityContext(channel);
      const from = { peers: channel.getEndorsers(session.identity.mspId), limit: this.#it.limits.endorse };
      return untilTime(endorsedAnswer(call, channel.newEndorsement(call.chaincode), signer, from), options, tooLate);
    });
  }

  /** Orderers are connected to, not asked: one that hangs, or that has no quorum, looks as if it were well. */
  async ordering(channel: string, options: FabricCallOptions): Promise<void> {
    await this.#inSession({ channel, chaincode: QUERY_CHAINCODE }, options, async (used) => {
      const network = await untilTime(used.session.network(channel), options, tooLate);
      await untilTime(requireOrderer(network.getChannel()), options, tooLate);
    });
  }

  async *blocks(channel: string, startBlock: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const ask = (name: string, ...args: string[]): Promise<Uint8Array> =>
      this.evaluate({ channel, chaincode: QUERY_CHAINCODE, function: name, arguments: [channel, ...args] }, {});
    const used = await this.#it.sessions.acquire(undefined);
    try {
      yield* networkBlocks({
        network: await used.session.network(channel),
        startBlock,
        signal,
        read: (number) => ask('GetBlockByNumber', String(number)),
        height: async () => heightIn(await ask('GetChainInfo')),
      });
    } catch (error) {
      throw this.#failure(error, { channel, chaincode: QUERY_CHAINCODE }, used);
    } finally {
      this.#it.sessions.release(used);
    }
  }

  close(): Promise<void> {
    this.#it.sessions.close();
    return Promise.resolve();
  }

  #watch(
    { channel }: FabricCall,
    it: Readonly<{ network: Network; transactionId: string; options: FabricCallOptions; mspId: string }>,
  ): CommitWatch {
    const lookUp = async (): Promise<RecordedAt | undefined> => {
      const call = {
        channel,
        chaincode: QUERY_CHAINCODE,
        function: 'GetBlockByTxID',
        arguments: [channel, it.transactionId],
      };
      return findTransaction(await this.evaluate(call, {}), it.transactionId);
    };
    return new CommitWatch({ ...it, limits: this.#it.limits, lookUp });
  }

  /** Does something in the caller's session, and gives the session up when the network is out of reach in it. */
  async #inSession<T>(
    call: Pick<FabricCall, 'channel' | 'chaincode'>,
    { caller }: FabricCallOptions,
    work: (used: SessionLease) => Promise<T>,
  ): Promise<T> {
    const used = await this.#it.sessions.acquire(caller);
    try {
      return await work(used);
    } catch (error) {
      throw this.#failure(error, call, used);
    } finally {
      this.#it.sessions.release(used);
    }
  }

  #failure(
    error: unknown,
    { channel, chaincode }: Pick<FabricCall, 'channel' | 'chaincode'>,
    used: SessionLease,
  ): Error {
    const { description } = used.session.identity;
    const failure = uncommittedError(error, { channel, chaincode, endpoint: this.#it.peers, identity: description });
    if (isLedgerError(failure, 'LEDGER.UNAVAILABLE')) this.#it.sessions.replace(used);
    return failure;
  }
}

/** Submits, and finds out what became of a transaction whose ordering failed. */
async function carry(
  transaction: Transaction,
  { call, watch, options }: Readonly<{ call: FabricCall; watch: CommitWatch; options: FabricCallOptions }>,
): Promise<Uint8Array> {
  try {
    return await untilTime(transaction.submit(...call.arguments), options, () => {
      watch.abandon();
      return watch.isOrdering ? uncertainError(undefined, transaction.getTransactionId()) : tooLate();
    });
  } catch (error) {
    if (!watch.isOrdering || error instanceof LedgerError || isRefusedByOrderer(error)) throw error;
    await watch.settle(WATCH_AFTER_FAILURE_MS);
    if (watch.outcome === undefined) throw uncertainError(error, transaction.getTransactionId());
    return endorsedResult(error);
  } finally {
    watch.cancelListening();
  }
}

/**
 * A call as a transaction.
 * @param id - the transaction's; without it the SDK makes one
 * @throws `LEDGER.CONFLICT` with the fault `signer-replaced` when the id was made for another identity
 */
function transactionOf(network: Network, call: FabricCall, identity: SigningIdentity, id?: GivenId): Transaction {
  const contract = network.getContract(call.chaincode);
  if (id === undefined) return contract.createTransaction(call.function);
  requireSigner(serializeIdentity(identity.mspId, Buffer.from(identity.certificate)), id);
  const { nonce, transactionId } = id;
  const state = { name: call.function, nonce: Buffer.from(nonce).toString('base64'), transactionId };
  return contract.deserializeTransaction(Buffer.from(JSON.stringify(state)));
}

function tooLate(): LedgerError {
  return new LedgerError('LEDGER.TIMEOUT', 'The time was up before the peers answered.');
}
