import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import type proposalResponse from '@hyperledger/fabric-protos/lib/peer/proposal_response_pb.js';
import { certificateName, validationCodeName, textOrBase64 } from '../decode/text-of.js';
import { decodeActions, decodeEnvelope, type DecodedAction, type DecodedEnvelope } from '../decode/decode-envelope.js';
import { envelopeJson } from './envelope-json.js';
import type { TransactionDescription, TransactionResponse } from './transaction-description.js';

/** A transaction as it stands in a block. */
export interface RecordedTransaction {
  /** The serialized `common.Envelope`. */
  readonly envelope: Uint8Array;
  /** Fabric's `TxValidationCode`; 0 is VALID. */
  readonly validationCode: number;
  readonly blockNumber: number;
  /** Hexadecimal. */
  readonly blockHash: string;
}

type CallDescription = Pick<
  TransactionDescription,
  'chaincodeId' | 'endorsers' | 'function' | 'arguments' | 'response'
>;

/** What is said of a transaction that is no call of a chaincode. */
const NO_CALL: CallDescription = {
  chaincodeId: '',
  endorsers: [],
  function: '',
  arguments: [],
  response: { status: 0, message: '', payload: '' },
};

/**
 * Tells what an envelope says, of whatever type: an endorser transaction, a configuration, or one that this version
 * does not know.
 * @throws {@link DamagedError} when the bytes are not an envelope with its headers
 */
export function describeTransaction(transaction: RecordedTransaction): TransactionDescription {
  const envelope = decodeEnvelope(transaction.envelope);
  const [action] = actionsOf(envelope);
  return {
    transactionId: envelope.transactionId,
    blockHash: transaction.blockHash,
    blockNumber: transaction.blockNumber,
    channelId: envelope.channelId,
    creatorId: envelope.creator.idBytes.length === 0 ? '' : certificateName(envelope.creator.idBytes),
    creatorMspId: envelope.creator.mspId,
    ...(action === undefined ? NO_CALL : describeCall(action)),
    timestamp: envelope.timestamp,
    validationCode: validationCodeName(transaction.validationCode),
    rawTransaction: envelopeJson(envelope),
  };
}

/** None where a peer recorded garbage: the raw transaction then shows it as it came. */
function actionsOf({ type, data }: DecodedEnvelope): readonly DecodedAction[] {
  if (type !== common.HeaderType.ENDORSER_TRANSACTION) return [];
  try {
    return decodeActions(data);
  } catch {
    return [];
  }
}

function describeCall({ invocation, result, endorsements }: DecodedAction): CallDescription {
  const spec = invocation.getChaincodeSpec();
  const [name = '', ...args] = (spec?.getInput()?.getArgsList_asU8() ?? []).map(textOrBase64);
  const chaincodeId = result.getChaincodeId() ?? spec?.getChaincodeId();
  return {
    chaincodeId: chaincodeId?.getName() ?? '',
    endorsers: endorsements.map(({ endorser }) => certificateName(endorser.idBytes)),
    function: name,
    arguments: args,
    response: describeResponse(result.getResponse()),
  };
}

function describeResponse(response: proposalResponse.Response | undefined): TransactionResponse {
  if (response === undefined) return NO_CALL.response;
  return {
    status: response.getStatus(),
    message: response.getMessage(),
    payload: textOrBase64(response.getPayload_asU8()),
  };
}
