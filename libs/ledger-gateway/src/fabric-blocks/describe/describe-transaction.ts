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

/** Of a first argument that a summary shows. */
const MOST_BYTES = 256;

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
 * @throws `LEDGER.DAMAGED` when the bytes are not an envelope with its headers
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

function describeCall(action: DecodedAction): CallDescription {
  const { result, endorsements } = action;
  const { chaincodeId, function: name } = nameCall(action);
  return {
    chaincodeId,
    endorsers: endorsements.map(({ endorser }) => certificateName(endorser.idBytes)),
    function: name,
    arguments: argumentsOf(action).slice(1).map(textOrBase64),
    response: describeResponse(result.getResponse()),
  };
}

/** A call in short. */
export interface CallSummary extends Pick<CallDescription, 'chaincodeId' | 'function'> {
  /** As in the description; empty where there is none, or it is longer than an id of an asset can be. */
  readonly firstArgument: string;
}

/** What a transaction calls; empty texts for one that is no call of a chaincode. */
export function calledFunction(envelope: DecodedEnvelope): CallSummary {
  const [action] = actionsOf(envelope);
  return action === undefined ? { chaincodeId: '', function: '', firstArgument: '' } : nameCall(action);
}

function nameCall(action: DecodedAction): CallSummary {
  const [name, first] = argumentsOf(action);
  const chaincodeId = action.result.getChaincodeId() ?? action.invocation.getChaincodeSpec()?.getChaincodeId();
  return {
    chaincodeId: chaincodeId?.getName() ?? '',
    function: name === undefined ? '' : textOrBase64(name),
    firstArgument: first === undefined || first.length > MOST_BYTES ? '' : textOrBase64(first),
  };
}

/** The function's name and its arguments. */
function argumentsOf({ invocation }: DecodedAction): readonly Uint8Array[] {
  return invocation.getChaincodeSpec()?.getInput()?.getArgsList_asU8() ?? [];
}

function describeResponse(response: proposalResponse.Response | undefined): TransactionResponse {
  if (response === undefined) return NO_CALL.response;
  return {
    status: response.getStatus(),
    message: response.getMessage(),
    payload: textOrBase64(response.getPayload_asU8()),
  };
}
