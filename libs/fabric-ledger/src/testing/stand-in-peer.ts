import { setImmediate } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { common, peer } from '@hyperledger/fabric-protos';
import lifecycle from '@hyperledger/fabric-protos/lib/peer/lifecycle/lifecycle_pb.js';
import { bytesToEndorse, type ReadWriteSet, type ReadWriteSets, TransactionEncoder } from '#fabric-codec/encode';
import { transactionIdIn, type StandInChain } from './stand-in-chain.js';
import type { StandInChaincode } from './stand-in-chaincode.js';
import { GrpcFailure } from './stand-in-faults.js';
import type { StandInOrganisation } from './stand-in-identities.js';
import { ProposalRefusal, readProposal, type StandInProposal } from './stand-in-proposal.js';
import { SimulatedState } from './simulated-state.js';

/** The response of a call: status and text, or payload. */
export interface PeerResponse {
  readonly status: number;
  readonly message: string;
  readonly payload: Uint8Array;
}

/** The state that all peers share. */
export interface StandInPeerOptions {
  /** By the names of the channels that the peers have joined. */
  readonly chains: ReadonlyMap<string, StandInChain>;
  /** The channels whose calls fail. */
  readonly downChannels: ReadonlySet<string>;
  readonly organisation: StandInOrganisation;
  readonly chaincodeName: string;
  /** A false response of the query chaincode. */
  readonly chainAnswer: () => Uint8Array | undefined;
  /** Returns the text with which a query function refuses, or undefined if it answers. */
  readonly chainRefusal: (name: string) => string | undefined;
  /** Returns the text with which a peer does not execute a transaction of that id, or undefined if it does. */
  readonly simulationRefusal: (transactionId: string) => string | undefined;
  /** Called for each call, so that a chaincode can be upgraded or removed. */
  readonly chaincode: () => StandInChaincode | undefined;
}

const NOTHING = new Uint8Array();
const NOTHING_READ: ReadWriteSet = { reads: [], writes: [] };

/** A peer's endorser: checks proposals, executes chaincode, and signs the result. */
export class StandInPeer {
  readonly #it: StandInPeerOptions;

  constructor(options: StandInPeerOptions) {
    this.#it = options;
  }

  /** @throws {@link ProposalRefusal} for a proposal that is not executed */
  async processProposal(signed: peer.SignedProposal): Promise<peer.ProposalResponse> {
    const proposal = readProposal(signed, this.#it.organisation);
    const chain = this.#it.chains.get(proposal.channel);
    if (this.#it.downChannels.has(proposal.channel)) {
      throw new GrpcFailure({ code: status.UNAVAILABLE, message: 'error while dialing: connection refused' });
    }
    if (chain === undefined) return refusal(`channel '${proposal.channel}' not found`);
    if (proposal.chaincode === '_lifecycle') return this.#answer(proposal, this.#queryDefinition(proposal));
    if (proposal.chaincode === 'cscc') return this.#answer(proposal, ok(this.#channels()));
    if (proposal.chaincode === 'qscc') return this.#answer(proposal, this.#queryChain(proposal, chain));
    if (proposal.chaincode !== this.#it.chaincodeName) return refusal(unknownChaincode(proposal));
    if (chain.recordedAt(proposal.transactionId) !== undefined) throw duplicate(proposal);
    return this.#run(proposal, chain);
  }

  async #run(proposal: StandInProposal, chain: StandInChain): Promise<peer.ProposalResponse> {
    const chaincode = this.#it.chaincode();
    if (chaincode === undefined) {
      return refusal(
        `error in simulation: failed to execute transaction ${proposal.transactionId}: could not launch chaincode ` +
          `${proposal.chaincode}_1.0: connection to ${proposal.chaincode}_1.0 failed: dial tcp 127.0.0.1:7052: connect: connection refused`,
      );
    }
    const refused = this.#it.simulationRefusal(proposal.transactionId);
    if (refused !== undefined) return refusal(refused);
    // A chaincode is another process, so its response never arrives in the same turn.
    await setImmediate();
    const state = new SimulatedState(chain.state, chain.collections(proposal.chaincode));
    const { transactionId, timestamp } = proposal;
    const args = proposal.arguments.map((argument) => argument.toString());
    try {
      const payload = await chaincode(proposal.function, args, state, proposal);
      const readWriteSets = state.readWriteSets(proposal.chaincode);
      const answered = this.#answer(proposal, ok(payload), readWriteSets, state.event);
      const { chaincode: name } = proposal;
      const simulated = {
        chaincode: name,
        readWriteSets,
        privateWrites: state.privateWrites(),
        transactionId,
        timestamp,
      };
      chain.keep(answered.getPayload_asU8(), simulated);
      return answered;
    } catch (error) {
      const { status = 500, message } = error as Error & { readonly status?: number };
      return this.#answer(proposal, { status, message, payload: NOTHING });
    }
  }

  /**
   * Returns the response of a chaincode, also of a system chaincode; endorsed unless it is a refusal. The payload distinguishes it from a 500 of the
   * peer itself.
   */
  #answer(
    proposal: StandInProposal,
    response: PeerResponse,
    readWriteSets: ReadWriteSets = new Map([[proposal.chaincode, NOTHING_READ]]),
    event?: SimulatedState['event'],
  ): peer.ProposalResponse {
    const { peer: endorser } = this.#it.organisation;
    const answered = answer(response);
    const { channel, chaincode: name } = proposal;
    const encoder = new TransactionEncoder({ channel, chaincode: { name, version: '1.0' }, creator: NOTHING });
    const payload = encoder.respond(proposal, { readWriteSets, response, event });
    answered.setPayload(payload);
    if (response.status < 200 || response.status >= 400) return answered;
    const endorsement = new peer.Endorsement();
    endorsement.setEndorser(endorser.serialized);
    endorsement.setSignature(endorser.sign(bytesToEndorse(payload, endorser.serialized)));
    answered.setEndorsement(endorsement);
    return answered;
  }

  #queryChain(
    { function: name, arguments: [, argument = Buffer.alloc(0)] }: StandInProposal,
    chain: StandInChain,
  ): PeerResponse {
    const { chainAnswer, chainRefusal } = this.#it;
    const refused = chainRefusal(name);
    if (refused !== undefined) return { status: 500, message: refused, payload: NOTHING };
    const scripted = chainAnswer();
    if (scripted !== undefined) return ok(scripted);
    switch (name) {
      case 'GetChainInfo':
        return ok(chainInfo(chain));
      case 'GetBlockByNumber':
        return found(
          chain.blocks[Number(argument.toString())],
          `no such block number [${argument.toString()}] in index`,
        );
      case 'GetBlockByHash':
        return found(
          chain.blocks[chain.numberOfHash(argument)],
          `no such block hash [${argument.toString('hex')}] in index`,
        );
      case 'GetBlockByTxID':
      case 'GetTransactionByID':
        return queryTransaction(chain, name, argument.toString());
      default:
        return { status: 500, message: `Requested function ${name} not found.`, payload: NOTHING };
    }
  }

  #channels(): Uint8Array {
    const response = new peer.ChannelQueryResponse();
    for (const name of this.#it.chains.keys()) {
      const info = new peer.ChannelInfo();
      info.setChannelId(name);
      response.addChannels(info);
    }
    return response.serializeBinary();
  }

  #queryDefinition({ arguments: [argument = Buffer.alloc(0)] }: StandInProposal): PeerResponse {
    const name = lifecycle.QueryChaincodeDefinitionArgs.deserializeBinary(argument).getName();
    if (name === this.#it.chaincodeName) return ok(new lifecycle.QueryChaincodeDefinitionResult().serializeBinary());
    const message = `failed to invoke backing implementation of 'QueryChaincodeDefinition': namespace ${name} is not defined`;
    return { status: 500, message, payload: NOTHING };
  }
}

function queryTransaction(chain: StandInChain, name: string, transactionId: string): PeerResponse {
  const at = chain.recordedAt(transactionId);
  const block = at && chain.blocks[at.blockNumber];
  const absent = `Failed to get transaction, error no such transaction ID [${transactionId}] in index`;
  if (block === undefined || name === 'GetBlockByTxID') return found(block, absent);
  const envelopes = common.Block.deserializeBinary(block).getData()!.getDataList_asU8();
  const processed = new peer.ProcessedTransaction();
  const envelope = envelopes.find((candidate) => transactionIdIn(candidate) === transactionId)!;
  processed.setTransactionenvelope(common.Envelope.deserializeBinary(envelope));
  processed.setValidationcode(at!.validationCode);
  return ok(processed.serializeBinary());
}

function chainInfo(chain: StandInChain): Uint8Array {
  const info = new common.BlockchainInfo();
  info.setHeight(chain.blocks.length);
  info.setCurrentblockhash(chain.hash());
  info.setPreviousblockhash(chain.hash(chain.blocks.length - 2));
  return info.serializeBinary();
}

function ok(payload: Uint8Array): PeerResponse {
  return { status: 200, message: '', payload };
}

function found(payload: Uint8Array | undefined, absent: string): PeerResponse {
  return payload === undefined ? { status: 500, message: absent, payload: NOTHING } : ok(payload);
}

/** A response 500 of the peer itself, without a payload. */
function refusal(message: string): peer.ProposalResponse {
  return answer({ status: 500, message, payload: NOTHING });
}

function answer({ status, message, payload }: PeerResponse): peer.ProposalResponse {
  const response = new peer.Response();
  response.setStatus(status);
  response.setMessage(message);
  response.setPayload(payload);
  const proposalResponse = new peer.ProposalResponse();
  proposalResponse.setVersion(1);
  proposalResponse.setResponse(response);
  return proposalResponse;
}

/** Fabric's text (core/endorser), with the creator in hexadecimal. */
function duplicate({ transactionId, signatureHeader }: StandInProposal): ProposalRefusal {
  const creator = common.SignatureHeader.deserializeBinary(signatureHeader).getCreator_asU8();
  const text = `duplicate transaction found [${transactionId}]. Creator [${Buffer.from(creator).toString('hex')}]`;
  return new ProposalRefusal(text);
}

function unknownChaincode({ chaincode, channel }: StandInProposal): string {
  return `make sure the chaincode ${chaincode} has been successfully defined on channel ${channel} and try again: chaincode ${chaincode} not found`;
}
