import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import identities from '@hyperledger/fabric-protos/lib/msp/identities_pb.js';
import chaincode from '@hyperledger/fabric-protos/lib/peer/chaincode_pb.js';
import proposal from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import proposalResponse from '@hyperledger/fabric-protos/lib/peer/proposal_response_pb.js';
import transaction from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';
import { decoding, readMessage } from './read-message.js';
import { timestampText } from './text-of.js';

/** Who signed: an organisation's member. All empty where nobody did. */
export interface DecodedIdentity {
  readonly mspId: string;
  /** A certificate as PEM, in every kind of organisation but those of Idemix. */
  readonly idBytes: Uint8Array;
}

/** An envelope, taken apart as far as its data. */
export interface DecodedEnvelope {
  /** What the signature covers. */
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  /** `common.HeaderType`: 1 is a configuration, 3 an endorser transaction. */
  readonly type: number;
  readonly channelId: string;
  readonly transactionId: string;
  /** ISO 8601 in UTC, as the submitter claims it; empty when there is none or no calendar holds it. */
  readonly timestamp: string;
  readonly creator: DecodedIdentity;
  readonly nonce: Uint8Array;
  /** Message `common.ChannelHeader` as it stands in the payload. */
  readonly channelHeader: Uint8Array;
  /** Message `common.SignatureHeader` as it stands in the payload. */
  readonly signatureHeader: Uint8Array;
  /** The serialized creator: with the nonce it makes the transaction's id. */
  readonly creatorBytes: Uint8Array;
  /** What the type says it is; see {@link decodeActions} for an endorser transaction. */
  readonly data: Uint8Array;
}

/**
 * Takes a serialized `common.Envelope` apart, of whatever type.
 * @throws `LEDGER.DAMAGED` when the bytes are not an envelope with its headers
 */
export function decodeEnvelope(bytes: Uint8Array): DecodedEnvelope {
  return decoding('transaction envelope', () => {
    const envelope = readMessage(common.Envelope, bytes);
    const payload = readMessage(common.Payload, envelope.getPayload_asU8());
    const header = payload.getHeader();
    if (header === undefined) throw new RangeError('no header');
    const channel = readMessage(common.ChannelHeader, header.getChannelHeader_asU8());
    const signature = readMessage(common.SignatureHeader, header.getSignatureHeader_asU8());
    return {
      payload: envelope.getPayload_asU8(),
      signature: envelope.getSignature_asU8(),
      type: channel.getType(),
      channelId: channel.getChannelId(),
      transactionId: channel.getTxId(),
      timestamp: timestampText(channel.getTimestamp()),
      creator: readIdentity(signature.getCreator_asU8()),
      nonce: signature.getNonce_asU8(),
      channelHeader: header.getChannelHeader_asU8(),
      signatureHeader: header.getSignatureHeader_asU8(),
      creatorBytes: signature.getCreator_asU8(),
      data: payload.getData_asU8(),
    };
  });
}

/** Reads a `msp.SerializedIdentity`; throws what the decoder throws when the bytes are none. */
export function readIdentity(bytes: Uint8Array): DecodedIdentity {
  const identity = readMessage(identities.SerializedIdentity, bytes);
  return { mspId: identity.getMspid(), idBytes: identity.getIdBytes_asU8() };
}

/** One endorser's signature over the response payload and its own identity. */
export interface DecodedEndorsement {
  readonly endorser: DecodedIdentity;
  /** Message `msp.SerializedIdentity` as it stands in the envelope. */
  readonly endorserBytes: Uint8Array;
  readonly signature: Uint8Array;
}

/** One call of a chaincode in an endorser transaction. */
export interface DecodedAction {
  /** Message `common.SignatureHeader`; the same as the envelope's own. */
  readonly signatureHeader: Uint8Array;
  /** Message `protos.ChaincodeProposalPayload`: what the proposal's hash covers beside the headers. */
  readonly chaincodePayload: Uint8Array;
  readonly invocation: chaincode.ChaincodeInvocationSpec;
  /** Message `protos.ProposalResponsePayload`: what the endorsers sign. */
  readonly responsePayload: Uint8Array;
  readonly proposalHash: Uint8Array;
  readonly result: proposal.ChaincodeAction;
  readonly endorsements: readonly DecodedEndorsement[];
}

/**
 * Takes the data of an endorser transaction apart.
 * @throws `LEDGER.DAMAGED` when they are none
 */
export function decodeActions(data: Uint8Array): readonly DecodedAction[] {
  return decoding('endorser transaction', () =>
    readMessage(transaction.Transaction, data).getActionsList().map(readAction),
  );
}

function readAction(action: transaction.TransactionAction): DecodedAction {
  const payload = readMessage(transaction.ChaincodeActionPayload, action.getPayload_asU8());
  const chaincodePayload = payload.getChaincodeProposalPayload_asU8();
  const proposalPayload = readMessage(proposal.ChaincodeProposalPayload, chaincodePayload);
  const endorsed = payload.getAction();
  const responsePayload = endorsed?.getProposalResponsePayload_asU8() ?? new Uint8Array();
  const response = readMessage(proposalResponse.ProposalResponsePayload, responsePayload);
  return {
    signatureHeader: action.getHeader_asU8(),
    chaincodePayload,
    invocation: readMessage(chaincode.ChaincodeInvocationSpec, proposalPayload.getInput_asU8()),
    responsePayload,
    proposalHash: response.getProposalHash_asU8(),
    result: readMessage(proposal.ChaincodeAction, response.getExtension_asU8()),
    endorsements: endorsed?.getEndorsementsList().map(readEndorsement) ?? [],
  };
}

function readEndorsement(endorsement: proposalResponse.Endorsement): DecodedEndorsement {
  const endorserBytes = endorsement.getEndorser_asU8();
  return { endorser: readIdentity(endorserBytes), endorserBytes, signature: endorsement.getSignature_asU8() };
}
