import type { Proposal, Transaction } from '@hyperledger/fabric-gateway';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import gateway from '@hyperledger/fabric-protos/lib/gateway/gateway_pb.js';
import peer from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import { decodeActions, decodeEnvelope } from '../../fabric-blocks/decode/decode-envelope.js';
import { decodeReadWriteSets } from '../../fabric-blocks/decode/decode-read-write-sets.js';
import { serializeIdentity, TransactionEncoder } from '../../fabric-blocks/encode/transaction-encoder.js';
import { requireSigner } from '../../fabric-client/call-errors.js';
import type { Endorsed, FabricCall, GivenId } from '../../fabric-client/fabric-transport.js';
import type { PeerSession } from './peer-pool.js';

/**
 * A call as the session's identity proposes it.
 * @param id - the transaction's; without it the library makes one
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

/** The library takes no nonce; what it makes for signing elsewhere it takes from others too, and signs it. */
function proposedTransaction({ identity }: PeerSession, call: FabricCall, id: GivenId): gateway.ProposedTransaction {
  const creator = serializeIdentity(identity.mspId, Buffer.from(identity.certificate));
  requireSigner(creator, id);
  // The version of the chaincode is the peers' to say.
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

/** A question that peers of the session's own organisation alone endorse: of a system chaincode the gateway knows no others. */
export function questionOf(session: PeerSession, call: FabricCall): Proposal {
  const { channel, chaincode, function: name, arguments: args } = call;
  const contract = session.gateway.getNetwork(channel).getContract(chaincode);
  return contract.newProposal(name, { arguments: [...args], endorsingOrganizations: [session.identity.mspId] });
}

/** Message `common.Payload` of an endorsed transaction. */
export function payloadOf(transaction: Transaction): Uint8Array {
  const prepared = gateway.PreparedTransaction.deserializeBinary(transaction.getBytes());
  return prepared.getEnvelope()?.getPayload_asU8() ?? new Uint8Array();
}

/** What an endorsed transaction returned, and read of its own chaincode. */
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
