import type { Commit, Proposal, Status, SubmittedTransaction, Transaction } from '@hyperledger/fabric-gateway';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import gateway from '@hyperledger/fabric-protos/lib/gateway/gateway_pb.js';
import peer from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import { decodeActions, decodeEnvelope } from '../../fabric-blocks/decode/decode-envelope.js';
import { decodeReadWriteSets } from '../../fabric-blocks/decode/decode-read-write-sets.js';
import { serializeIdentity, TransactionEncoder } from '../../fabric-blocks/encode/transaction-encoder.js';
import { requireSigner, type CallPlace } from '../../fabric-client/call-errors.js';
import type {
  Endorsed,
  FabricCall,
  FabricCallOptions,
  GivenId,
  StageLimits,
} from '../../fabric-client/fabric-transport.js';
import { jittered, pause } from '../../fabric-client/waiting.js';
import { isUnavailable, mayRetryStatus, orderingFailure, uncertainError } from './gateway-errors.js';
import { grpcOptions, type PeerPool, type PeerSession } from './peer-pool.js';

/** Options of {@link TransactionFlow}. */
export interface TransactionFlowOptions {
  readonly transaction: Transaction;
  readonly peer: PeerSession;
  readonly pool: PeerPool;
  readonly place: CallPlace;
  readonly limits: StageLimits;
  readonly options: FabricCallOptions;
}

/** Attempts to submit a transaction while it is certain that no orderer has it: the caller may then retry. */
const CERTAIN_ATTEMPTS = 5;
const DELAY = { base: 100, most: 1000 };

/**
 * Orders an endorsed transaction and waits for its commit. The same signed transaction may be submitted again: all copies
 * have the same id, and at most one becomes valid.
 */
export class TransactionFlow {
  readonly #options: TransactionFlowOptions;
  #peer: PeerSession;

  constructor(options: TransactionFlowOptions) {
    this.#options = options;
    this.#peer = options.peer;
  }

  /**
   * Submits the transaction to the orderers.
   * @throws `LEDGER.OUTCOME_UNKNOWN` when one of them may have it, else the reason why none has
   */
  async order(): Promise<SubmittedTransaction> {
    const { transaction, limits } = this.#options;
    const options = this.#withTimeout(limits.submit);
    let isCertain = true;
    for (let attempt = 0; ; attempt++) {
      try {
        const again = attempt === 0 ? transaction : this.#peer.gateway.newTransaction(transaction.getBytes());
        return await again.submit(grpcOptions(options, limits.submit));
      } catch (error) {
        const failure = orderingFailure(error, { ...this.#options.place, endpoint: this.#peer.endpoint });
        isCertain &&= failure.isCertain;
        const isLast = !failure.mayRepeat || (isCertain && attempt + 1 === CERTAIN_ATTEMPTS);
        if (isLast || !(await pause(jittered(attempt, DELAY), options))) {
          throw isCertain ? failure.error : uncertainError(error, transaction.getTransactionId(), this.#peer.endpoint);
        }
        await this.#useNextPeer(error);
      }
    }
  }

  /**
   * Waits until a block contains the transaction.
   * @throws `LEDGER.OUTCOME_UNKNOWN` when no peer reports it in time
   */
  async commitStatus(submitted: SubmittedTransaction): Promise<Status> {
    const { limits } = this.#options;
    const options = this.#withTimeout(limits.commit);
    for (let attempt = 0; ; attempt++) {
      try {
        const commit: Commit = attempt === 0 ? submitted : this.#peer.gateway.newCommit(submitted.getBytes());
        return await commit.getStatus(grpcOptions(options, limits.commit));
      } catch (error) {
        if (!mayRetryStatus(error) || !(await pause(jittered(attempt, DELAY), options))) {
          throw uncertainError(error, submitted.getTransactionId(), this.#peer.endpoint);
        }
        await this.#useNextPeer(error);
      }
    }
  }

  /** Switches to the next peer when this one is unreachable. */
  async #useNextPeer(error: unknown): Promise<void> {
    if (!isUnavailable(error)) return;
    this.#options.pool.demote(this.#peer);
    [this.#peer] = await this.#options.pool.sessions(this.#options.options.caller);
  }

  #withTimeout(limit: number): FabricCallOptions {
    const { deadline = Infinity, signal } = this.#options.options;
    return { deadline: Math.min(deadline, Date.now() + limit), ...(signal === undefined ? {} : { signal }) };
  }
}

/**
 * Creates the proposal of a call, made by the session's identity.
 * @param id - the transaction's; without it the library creates one
 * @throws `LEDGER.CONFLICT` with the fault `signer-replaced` when the id was made for another identity
 */
export function proposalOf(session: PeerSession, call: FabricCall, id?: GivenId): Proposal {
  const { channel, chaincode, function: name, arguments: args } = call;
  if (id === undefined) {
    const contract = session.gateway.getNetwork(channel).getContract(chaincode);
    return contract.newProposal(name, { arguments: [...args] });
  }
  return session.gateway.newProposal(proposedTransaction(session, call, id).serializeBinary());
}

/** The library accepts no nonce, but signs a whole proposal that was created elsewhere. */
function proposedTransaction({ identity }: PeerSession, call: FabricCall, id: GivenId): gateway.ProposedTransaction {
  const creator = serializeIdentity(identity.mspId, Buffer.from(identity.certificate));
  requireSigner(creator, id);
  // The peers fill in the version of the chaincode.
  const encoder = new TransactionEncoder({
    channel: call.channel,
    chaincode: { name: call.chaincode, version: '' },
    creator,
  });
  const { function: name, arguments: args } = call;
  const parts = encoder.propose({ ...id, timestamp: Date.now(), function: name, arguments: args });
  const header = new common.Header();
  header.setChannelHeader(parts.channelHeader);
  header.setSignatureHeader(parts.signatureHeader);
  const proposal = new peer.Proposal();
  proposal.setHeader(header.serializeBinary());
  proposal.setPayload(parts.chaincodePayload);
  const unsigned = new peer.SignedProposal();
  unsigned.setProposalBytes(proposal.serializeBinary());
  const proposed = new gateway.ProposedTransaction();
  proposed.setTransactionId(id.transactionId);
  proposed.setProposal(unsigned);
  return proposed;
}

/** Creates a proposal for peers of the session's own organization: the gateway finds no others for a system chaincode. */
export function ownProposalOf(session: PeerSession, call: FabricCall): Proposal {
  const { channel, chaincode, function: name, arguments: args } = call;
  const contract = session.gateway.getNetwork(channel).getContract(chaincode);
  return contract.newProposal(name, { arguments: [...args], endorsingOrganizations: [session.identity.mspId] });
}

/** Returns the message `common.Payload` of an endorsed transaction. */
export function payloadOf(transaction: Transaction): Uint8Array {
  const prepared = gateway.PreparedTransaction.deserializeBinary(transaction.getBytes());
  return prepared.getEnvelope()?.getPayload_asU8() ?? new Uint8Array();
}

/** Returns the result of an endorsed transaction and what it read from its own chaincode. */
export function endorsedOf(transaction: Transaction, chaincode: string): Endorsed {
  const prepared = gateway.PreparedTransaction.deserializeBinary(transaction.getBytes());
  const envelope = prepared.getEnvelope()?.serializeBinary() ?? new Uint8Array();
  const [action] = decodeActions(decodeEnvelope(envelope).data);
  const sets = decodeReadWriteSets(action?.result.results ?? new Uint8Array());
  const { reads = [] } = sets.find(({ namespace }) => namespace === chaincode) ?? {};
  const versions = reads.map(({ key, version }) => {
    return [key, version && `${version.blockNumber}:${version.transactionNumber}`] as const;
  });
  return { result: transaction.getResult(), reads: new Map(versions) };
}
