import type { Network, Transaction } from 'fabric-network';
import { LedgerError, isLedgerError } from '../../errors/ledger.errors.js';
import { encodePayload, serializeIdentity } from '../../fabric-blocks/encode/transaction-encoder.js';
import { decodeMessage } from '../../fabric-blocks/messages/decode-message.js';
import { Header, Proposal } from '../../fabric-blocks/messages/fabric-messages.js';
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
import { networkBlocks } from './network-blocks.js';
import { endorsedResult, isRefusedByOrderer, uncertainError, uncommittedError } from './network-errors.js';
import type { IdentityContext, NetworkSessions, SessionLease } from './network-sessions.js';

// The types of fabric-common, through the package that depends on it.
type Channel = ReturnType<Network['getChannel']>;
type Endorsement = ReturnType<Channel['newEndorsement']>;
type ProposalResponse = Awaited<ReturnType<Endorsement['send']>>;

/** How long a transaction is looked for after a failure of ordering that leaves its outcome unknown. */
const WATCH_AFTER_FAILURE_MS = 5000;

/** Options of {@link NetworkTransport}. */
export interface NetworkTransportOptions {
  readonly sessions: NetworkSessions;
  /** The peers of the connection profile, for messages. */
  readonly peers: string;
  readonly limits: StageLimits;
}

/** Calls through fabric-network, which finds the endorsers by discovery and submits to the orderers itself. */
export class NetworkTransport implements FabricTransport {
  readonly #options: NetworkTransportOptions;

  constructor(options: NetworkTransportOptions) {
    this.#options = options;
  }

  async evaluate(call: FabricCall, options: FabricCallOptions): Promise<Uint8Array> {
    return this.#inSession(call, options, async (lease) => {
      const network = await untilTime(lease.session.network(call.channel), options, timeoutError);
      const transaction = network.getContract(call.chaincode).createTransaction(call.function);
      return untilTime(transaction.evaluate(...call.arguments), options, timeoutError);
    });
  }

  async submit(call: FabricCall, options: FabricCallOptions, { id }: SubmitTerms = {}): Promise<RecordedTransaction> {
    return this.#inSession(call, options, async (lease) => {
      const network = await untilTime(lease.session.network(call.channel), options, timeoutError);
      const transaction = transactionOf(network, call, lease.session.identity, id);
      const transactionId = transaction.getTransactionId();
      const watch = this.#watch(call, { network, transactionId, options, mspId: lease.session.identity.mspId });
      transaction.setEventHandler(() => watch);
      const result = await submitAndWatch(transaction, { call, watch, options });
      if (watch.missedEvents) this.#options.sessions.replace(lease);
      if (watch.outcome === undefined) throw uncertainError(undefined, transactionId);
      return { transactionId, result, ...watch.outcome };
    });
  }

  async attest(call: FabricCall, options: FabricCallOptions): Promise<Uint8Array> {
    return this.#inSession(call, options, async ({ session }) => {
      const network = await untilTime(session.network(call.channel), options, timeoutError);
      const channel = network.getChannel();
      const signer = await session.identityContext(channel);
      const from = { peers: channel.getEndorsers(session.identity.mspId), limit: this.#options.limits.endorse };
      return untilTime(
        endorsedPayload(call, channel.newEndorsement(call.chaincode), signer, from),
        options,
        timeoutError,
      );
    });
  }

  /** Checks the connection only: does not detect an orderer that hangs or has no quorum. */
  async ordering(channel: string, options: FabricCallOptions): Promise<void> {
    await this.#inSession({ channel, chaincode: QUERY_CHAINCODE }, options, async (lease) => {
      const network = await untilTime(lease.session.network(channel), options, timeoutError);
      await untilTime(requireOrderer(network.getChannel()), options, timeoutError);
    });
  }

  async *blocks(channel: string, startBlock: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const query = (name: string, ...args: string[]): Promise<Uint8Array> =>
      this.evaluate({ channel, chaincode: QUERY_CHAINCODE, function: name, arguments: [channel, ...args] }, {});
    const lease = await this.#options.sessions.acquire(undefined);
    try {
      yield* networkBlocks({
        network: await lease.session.network(channel),
        startBlock,
        signal,
        read: (number) => query('GetBlockByNumber', String(number)),
        height: async () => heightIn(await query('GetChainInfo')),
      });
    } catch (error) {
      throw this.#failure(error, { channel, chaincode: QUERY_CHAINCODE }, lease);
    } finally {
      this.#options.sessions.release(lease);
    }
  }

  close(): Promise<void> {
    this.#options.sessions.close();
    return Promise.resolve();
  }

  #watch(
    { channel }: FabricCall,
    watched: Readonly<{ network: Network; transactionId: string; options: FabricCallOptions; mspId: string }>,
  ): CommitWatch {
    const lookUp = async (): Promise<RecordedAt | undefined> => {
      const call = {
        channel,
        chaincode: QUERY_CHAINCODE,
        function: 'GetBlockByTxID',
        arguments: [channel, watched.transactionId],
      };
      return findTransaction(await this.evaluate(call, {}), watched.transactionId);
    };
    return new CommitWatch({ ...watched, limits: this.#options.limits, lookUp });
  }

  /** Runs work in the caller's session, and replaces the session when the network is unreachable in it. */
  async #inSession<T>(
    call: Pick<FabricCall, 'channel' | 'chaincode'>,
    { caller }: FabricCallOptions,
    work: (lease: SessionLease) => Promise<T>,
  ): Promise<T> {
    const lease = await this.#options.sessions.acquire(caller);
    try {
      return await work(lease);
    } catch (error) {
      throw this.#failure(error, call, lease);
    } finally {
      this.#options.sessions.release(lease);
    }
  }

  #failure(
    error: unknown,
    { channel, chaincode }: Pick<FabricCall, 'channel' | 'chaincode'>,
    lease: SessionLease,
  ): Error {
    const { description } = lease.session.identity;
    const failure = uncommittedError(error, {
      channel,
      chaincode,
      endpoint: this.#options.peers,
      identity: description,
    });
    if (isLedgerError(failure, 'LEDGER.UNAVAILABLE')) this.#options.sessions.replace(lease);
    return failure;
  }
}

/** Submits a transaction, and looks for its outcome when ordering failed. */
async function submitAndWatch(
  transaction: Transaction,
  { call, watch, options }: Readonly<{ call: FabricCall; watch: CommitWatch; options: FabricCallOptions }>,
): Promise<Uint8Array> {
  try {
    return await untilTime(transaction.submit(...call.arguments), options, () => {
      watch.cancel();
      return watch.isOrdering ? uncertainError(undefined, transaction.getTransactionId()) : timeoutError();
    });
  } catch (error) {
    if (!watch.isOrdering || error instanceof LedgerError || isRefusedByOrderer(error)) throw error;
    await watch.waitForOutcome(WATCH_AFTER_FAILURE_MS);
    if (watch.outcome === undefined) throw uncertainError(error, transaction.getTransactionId());
    return endorsedResult(error);
  } finally {
    watch.cancelListening();
  }
}

/**
 * Creates the transaction of a call.
 * @param id - the transaction's; without it the SDK creates one
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

function timeoutError(): LedgerError {
  return new LedgerError('LEDGER.TIMEOUT', 'The peers did not respond in time.');
}

/** The peers to send a proposal to, and the timeout for each. */
interface Endorsers {
  readonly peers: ReturnType<Channel['getEndorsers']>;
  /** Milliseconds. */
  readonly limit: number;
}

/**
 * Lets one of the peers endorse a call, with the part of the SDK below its gateway, which would order it too.
 * @returns message `common.Payload`, as in a transaction
 * @throws an error with the peers' responses, like the SDK's; `LEDGER.UNAVAILABLE` when there is no peer
 */
async function endorsedPayload(
  { function: name, arguments: args }: FabricCall,
  endorsement: Endorsement,
  signer: IdentityContext,
  { peers, limit }: Endorsers,
): Promise<Uint8Array> {
  const proposal = endorsement.build(signer, { fcn: name, args: [...args] });
  endorsement.sign(signer);
  let answers: ProposalResponse | undefined;
  for (const peer of peers) {
    answers = await endorsement.send({ targets: [peer], requestTimeout: limit });
    const [response] = answers.responses;
    if (response?.endorsement !== undefined) return payloadOf(proposal, response.payload, response.endorsement);
  }
  if (answers === undefined)
    throw new LedgerError('LEDGER.UNAVAILABLE', 'Discovery found no peer of the own organization.');
  const { errors, responses } = answers;
  const texts = [...errors.map(({ message }) => message), ...responses.map(({ response }) => response.message)];
  throw Object.assign(new Error(`No peer endorsed the call: ${texts.join('; ')}`), { errors, responses });
}

function payloadOf(
  bytes: Uint8Array,
  response: Uint8Array,
  endorsement: { readonly endorser: Uint8Array; readonly signature: Uint8Array },
): Uint8Array {
  const { header, payload } = decodeMessage(Proposal, bytes);
  return encodePayload({ ...decodeMessage(Header, header), chaincodePayload: payload }, response, [endorsement]);
}
