import chaincode from '@hyperledger/fabric-protos/lib/peer/chaincode_pb.js';
import proposal from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import proposalResponse from '@hyperledger/fabric-protos/lib/peer/proposal_response_pb.js';
import transaction from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';
import { decoding } from './decode-error.js';
import { readIdentity, type DecodedIdentity } from './decode-envelope.js';
import { readMessage } from './read-message.js';

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
 * @throws {@link DamagedError} when they are none
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
