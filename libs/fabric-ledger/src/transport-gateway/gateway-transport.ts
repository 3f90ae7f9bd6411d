import type { CallOptions as GrpcCallOptions } from '@grpc/grpc-js';
import type { Commit, Proposal, Status, SubmittedTransaction, Transaction } from '@hyperledger/fabric-gateway';
import type common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import gateway from '@hyperledger/fabric-protos/lib/gateway/gateway_pb.js';
import { decodeActions, decodeEnvelope, decodeReadWriteSets } from '#fabric-codec';
import { serializeIdentity, TransactionEncoder } from '#fabric-codec/encode';
import { bytesField, join, messageField, stringField } from '#fabric-codec/messages';
import { isFault, requireSigner, type CallPlace } from '../driver/call-errors.js';
import type {
  Endorsed,
  FabricCall,
  FabricTransport,
  GivenId,
  RecordedTransaction,
  StageLimits,
  SubmitTerms,
} from '../driver/fabric-transport.js';
import { jittered, pause } from '../driver/waiting.js';
import {
  isTimeout,
  isUnavailable,
  lostBlocks,
  mayRetryStatus,
  orderingFailure,
  uncertainError,
  uncommittedError,
} from './gateway-errors.js';
import { OrdererProbe } from './orderer-probe.js';
import type { PeerPool, PeerSession } from './peer-pool.js';

/** Attempts to submit a transaction while it is certain that no orderer has it: the caller may then retry. */
const CERTAIN_ATTEMPTS = 5;
const DELAY = { base: 100, most: 1000 };

/** Calls through the gateway service of the peers, which finds endorsers and orderers. */
export class GatewayTransport implements FabricTransport {
  readonly driver = 'fabric-gateway';
  readonly #pool: PeerPool;
  readonly #limits: StageLimits;
  readonly #orderers = new OrdererProbe();

  constructor(pool: PeerPool, limits: StageLimits) {
    this.#pool = pool;
    this.#limits = limits;
  }

  async evaluate(call: FabricCall): Promise<Uint8Array> {
    const { evaluate } = this.#limits;
    return (await this.#callFirst(call, (peer) => proposalOf(peer, call).evaluate(within(evaluate)))).answer;
  }

  async submit(call: FabricCall, { id, accept, onStage, onAccepted }: SubmitTerms): Promise<RecordedTransaction> {
    onStage?.('endorsement', id?.transactionId);
    const { answer: transaction, peer } = await this.#endorsed(call, id);
    accept?.(endorsedOf(transaction, call.chaincode));
    const route: Route = { call, peer };
    const transactionId = transaction.getTransactionId();
    onStage?.('ordering', transactionId);
    const submitted = await this.#order(transaction, route);
    onStage?.('commit', transactionId);
    onAccepted?.(transactionId);
    const status = await this.#commitStatus(submitted, route);
    return {
      transactionId: status.transactionId,
      blockNumber: Number(status.blockNumber),
      validationCode: status.code,
      result: transaction.getResult(),
    };
  }

  async endorse(call: FabricCall): Promise<Endorsed> {
    const { answer: transaction } = await this.#endorsed(call);
    return endorsedOf(transaction, call.chaincode);
  }

  /** Queries peers of the own organization: the gateway finds no others for a system chaincode. */
  async attest(call: FabricCall): Promise<Uint8Array> {
    const { answer } = await this.#callFirst(call, (peer) => {
      const proposal = proposalOf(peer, { ...call, endorsingOrganizations: [peer.identity.mspId] });
      return proposal.endorse(within(this.#limits.endorse));
    });
    return payloadOf(answer);
  }

  /** Does not detect an orderer that responds but has no quorum. */
  async ordering(channel: string): Promise<void> {
    const [peer] = await this.#pool.sessions(undefined);
    await this.#orderers.require(peer, channel, within(this.#limits.submit));
  }

  async *blocks(channel: string, startBlock: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const [peer] = await this.#pool.sessions(undefined);
    let close: (() => void) | undefined;
    const onAbort = (): void => {
      close?.();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const events = await peer.gateway.getNetwork(channel).getBlockEvents({ startBlock: BigInt(startBlock) });
      const blocks = events[Symbol.asyncIterator]();
      // Reading begins before the stream may be cancelled: the error of a stream that no one reads would end the process.
      let next = blocks.next();
      close = () => {
        events.close();
      };
      if (signal.aborted) close();
      for (let step = await next; step.done !== true; step = await next) {
        yield step.value.serializeBinary();
        next = blocks.next();
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#pool.demote(peer);
      throw lostBlocks(error, placeOf({ channel, chaincode: '' }, peer));
    } finally {
      signal.removeEventListener('abort', onAbort);
      close?.();
    }
  }

  close(): void {
    this.#pool.close();
  }

  #endorsed(call: FabricCall, id?: GivenId): Promise<{ readonly answer: Transaction; readonly peer: PeerSession }> {
    return this.#callFirst(call, (peer) => {
      const proposal = id === undefined ? proposalOf(peer, call) : proposalWithId(peer, call, id);
      return proposal.endorse(within(this.#limits.endorse));
    });
  }

  /**
   * Submits an endorsed transaction to the orderers. The same signed transaction may be submitted again: all copies have the
   * same id, and at most one becomes valid.
   * @throws `LEDGER.OUTCOME_UNKNOWN` when one of them may have it, else the reason why none has
   */
  async #order(transaction: Transaction, route: Route): Promise<SubmittedTransaction> {
    const deadline = Date.now() + this.#limits.submit;
    let isCertain = true;
    for (let attempt = 0; ; attempt++) {
      try {
        const again = attempt === 0 ? transaction : route.peer.gateway.newTransaction(transaction.getBytes());
        const submitted = await again.submit({ deadline });
        this.#orderers.answered(route.call.channel);
        return submitted;
      } catch (error) {
        const failure = orderingFailure(error, placeOf(route.call, route.peer));
        isCertain &&= failure.isCertain;
        const isLast = !failure.mayRepeat || (isCertain && attempt + 1 === CERTAIN_ATTEMPTS);
        if (isLast || !(await pause(jittered(attempt, DELAY), { deadline }))) {
          this.#orderers.failed(route.call.channel);
          throw isCertain ? failure.error : uncertainError(error, transaction.getTransactionId(), route.peer.endpoint);
        }
        await this.#leaveUnreachable(route, error);
      }
    }
  }

  /**
   * Waits until a block contains the transaction.
   * @throws `LEDGER.OUTCOME_UNKNOWN` when no peer reports it in time
   */
  async #commitStatus(submitted: SubmittedTransaction, route: Route): Promise<Status> {
    const deadline = Date.now() + this.#limits.commit;
    for (let attempt = 0; ; attempt++) {
      try {
        const commit: Commit = attempt === 0 ? submitted : route.peer.gateway.newCommit(submitted.getBytes());
        return await commit.getStatus({ deadline });
      } catch (error) {
        if (!mayRetryStatus(error) || !(await pause(jittered(attempt, DELAY), { deadline }))) {
          throw uncertainError(error, submitted.getTransactionId(), route.peer.endpoint);
        }
        await this.#leaveUnreachable(route, error);
      }
    }
  }

  /** Switches to the next peer when this one is unreachable. */
  async #leaveUnreachable(route: Route, error: unknown): Promise<void> {
    if (!isUnavailable(error)) return;
    this.#pool.demote(route.peer);
    [route.peer] = await this.#pool.sessions(route.call.caller);
  }

  /** Calls the peers in turn until one is reachable. None of them writes anything. */
  async #callFirst<T>(
    call: FabricCall,
    ask: (peer: PeerSession) => Promise<T>,
  ): Promise<{ readonly answer: T; readonly peer: PeerSession }> {
    let failure: Error | undefined;
    for (const peer of await this.#pool.sessions(call.caller)) {
      try {
        return { answer: await ask(peer), peer };
      } catch (error) {
        const reason = uncommittedError(error, placeOf(call, peer));
        // Another peer may have joined the channel, also one that is unreachable now.
        const isNotJoined = isFault(reason, 'channel-unknown');
        if (!isNotJoined || failure === undefined) failure = reason;
        if (isUnavailable(error) || isTimeout(error)) this.#pool.demote(peer);
        if (!isUnavailable(error) && !isNotJoined) break;
      }
    }
    throw failure ?? new Error('No peer is configured.');
  }
}

/** The peer through which a transaction is ordered and its commit is awaited. */
interface Route {
  readonly call: FabricCall;
  peer: PeerSession;
}

function placeOf(
  { channel, chaincode }: Pick<FabricCall, 'channel' | 'chaincode'>,
  { endpoint, identity }: PeerSession,
): CallPlace {
  return { channel, chaincode, endpoint, identity: identity.description };
}

function within(milliseconds: number): GrpcCallOptions {
  return { deadline: Date.now() + milliseconds };
}

/** Creates the proposal of a call, made by the session's identity. */
function proposalOf(session: PeerSession, call: FabricCall): Proposal {
  const { channel, chaincode, function: name, arguments: args, transient, endorsingOrganizations } = call;
  return session.gateway
    .getNetwork(channel)
    .getContract(chaincode)
    .newProposal(name, {
      arguments: [...args],
      ...(transient && { transientData: Object.fromEntries(transient) }),
      ...(endorsingOrganizations && { endorsingOrganizations: [...endorsingOrganizations] }),
    });
}

/**
 * Creates the proposal of a call with a given id. The library accepts no nonce, but signs a whole proposal that was created
 * elsewhere.
 * @throws `LEDGER.CONFLICT` with the fault `signer-replaced` when the id was made for another identity
 */
function proposalWithId({ identity, gateway: connection }: PeerSession, call: FabricCall, id: GivenId): Proposal {
  const creator = serializeIdentity(identity.mspId, Buffer.from(identity.certificate));
  requireSigner(creator, id);
  const { channel, function: name, arguments: args, transient = [], endorsingOrganizations = [] } = call;
  // The peers fill in the version of the chaincode.
  const encoder = new TransactionEncoder({ channel, chaincode: { name: call.chaincode, version: '' }, creator });
  const parts = encoder.propose({ ...id, timestamp: Date.now(), function: name, arguments: args });
  const header = join([bytesField(1, parts.channelHeader), bytesField(2, parts.signatureHeader)]);
  // The entries of the transient map, which peers omit from the transaction.
  const entries = Array.from(transient, ([key, value]) => messageField(2, stringField(1, key), bytesField(2, value)));
  const proposal = join([bytesField(1, header), bytesField(2, join([parts.chaincodePayload, ...entries]))]);
  const organizations = endorsingOrganizations.map((mspId) => stringField(3, mspId));
  // Message gateway.ProposedTransaction with an unsigned protos.SignedProposal.
  const proposed = [stringField(1, id.transactionId), messageField(2, bytesField(1, proposal)), ...organizations];
  return connection.newProposal(join(proposed));
}

/** Returns the message `common.Payload` of an endorsed transaction. */
function payloadOf(transaction: Transaction): Uint8Array {
  return envelopeOf(transaction)?.getPayload_asU8() ?? new Uint8Array();
}

/** Returns the result of an endorsed transaction and what it read from its own chaincode. */
function endorsedOf(transaction: Transaction, chaincode: string): Endorsed {
  const envelope = envelopeOf(transaction)?.serializeBinary() ?? new Uint8Array();
  const [action] = decodeActions(decodeEnvelope(envelope).data);
  const sets = decodeReadWriteSets(action?.results ?? new Uint8Array());
  const { reads = [] } = sets.find(({ namespace }) => namespace === chaincode) ?? {};
  const versions = reads.map(({ key, version }) => {
    return [key, version && `${version.blockNumber}:${version.transactionNumber}`] as const;
  });
  return { result: transaction.getResult(), reads: new Map(versions) };
}

function envelopeOf(transaction: Transaction): common.Envelope | undefined {
  return gateway.PreparedTransaction.deserializeBinary(transaction.getBytes()).getEnvelope();
}
