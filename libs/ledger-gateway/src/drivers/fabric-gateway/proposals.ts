import type { Proposal, Transaction } from '@hyperledger/fabric-gateway';
import type common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import gateway from '@hyperledger/fabric-protos/lib/gateway/gateway_pb.js';
import { decodeActions, decodeEnvelope, decodeReadWriteSets } from '../../fabric-blocks/decode/decode-envelope.js';
import { bytesField, join, messageField, stringField } from '../../fabric-blocks/encode/proto-fields.js';
import { serializeIdentity, TransactionEncoder } from '../../fabric-blocks/encode/transaction-encoder.js';
import { requireSigner } from '../../fabric-client/call-errors.js';
import type { Endorsed, FabricCall, GivenId } from '../../fabric-client/fabric-transport.js';
import type { PeerSession } from './peer-pool.js';

/** Creates the proposal of a call, made by the session's identity. */
export function proposalOf(
  session: PeerSession,
  call: FabricCall,
  options: { readonly endorsingOrganizations?: string[] } = {},
): Proposal {
  const contract = session.gateway.getNetwork(call.channel).getContract(call.chaincode);
  return contract.newProposal(call.function, { arguments: [...call.arguments], ...options });
}

/**
 * Creates the proposal of a call with a given id. The library accepts no nonce, but signs a whole proposal that was created
 * elsewhere.
 * @throws `LEDGER.CONFLICT` with the fault `signer-replaced` when the id was made for another identity
 */
export function proposalWithId(
  { identity, gateway: connection }: PeerSession,
  call: FabricCall,
  id: GivenId,
): Proposal {
  const creator = serializeIdentity(identity.mspId, Buffer.from(identity.certificate));
  requireSigner(creator, id);
  const { channel, function: name, arguments: args } = call;
  // The peers fill in the version of the chaincode.
  const encoder = new TransactionEncoder({ channel, chaincode: { name: call.chaincode, version: '' }, creator });
  const parts = encoder.propose({ ...id, timestamp: Date.now(), function: name, arguments: args });
  const header = join([bytesField(1, parts.channelHeader), bytesField(2, parts.signatureHeader)]);
  const proposal = join([bytesField(1, header), bytesField(2, parts.chaincodePayload)]);
  // Message gateway.ProposedTransaction with an unsigned protos.SignedProposal.
  return connection.newProposal(join([stringField(1, id.transactionId), messageField(2, bytesField(1, proposal))]));
}

/** Returns the message `common.Payload` of an endorsed transaction. */
export function payloadOf(transaction: Transaction): Uint8Array {
  return envelopeOf(transaction)?.getPayload_asU8() ?? new Uint8Array();
}

/** Returns the result of an endorsed transaction and what it read from its own chaincode. */
export function endorsedOf(transaction: Transaction, chaincode: string): Endorsed {
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
