import events from '@hyperledger/fabric-protos/lib/peer/chaincode_event_pb.js';
import chaincode from '@hyperledger/fabric-protos/lib/peer/chaincode_pb.js';
import type proposal from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import type { DecodedAction, DecodedEndorsement } from '../decode/decode-actions.js';
import { enumNames } from '../decode/enum-name.js';
import { base64, textOrBase64 } from '../decode/text-or-base64.js';
import type { JsonObject, JsonValue } from './transaction-description.js';
import { identityJson, signatureHeaderJson } from './identity-json.js';
import { plainMessage } from './plain-message.js';
import { readWriteSetJson } from './read-write-set-json.js';
import { readMessage } from '../decode/read-message.js';

const chaincodeTypeName = enumNames(chaincode.ChaincodeSpec.Type);

/** Message `protos.TransactionAction` with everything in it decoded. */
export function actionJson(action: DecodedAction): JsonObject {
  return {
    header: signatureHeaderJson(action.signatureHeader),
    payload: {
      chaincode_proposal_payload: { input: invocationJson(action.invocation) },
      action: {
        proposal_response_payload: {
          proposal_hash: base64(action.proposalHash),
          extension: resultJson(action.result),
        },
        endorsements: action.endorsements.map(endorsementJson),
      },
    },
  };
}

function invocationJson(invocation: chaincode.ChaincodeInvocationSpec): JsonObject {
  const spec = invocation.getChaincodeSpec();
  if (spec === undefined) return { chaincode_spec: null };
  const input = spec.getInput();
  return {
    chaincode_spec: {
      ...plainMessage(spec),
      type: chaincodeTypeName(spec.getType()),
      input: input ? { ...plainMessage(input), args: input.getArgsList_asU8().map(textOrBase64) } : null,
    },
  };
}

function resultJson(result: proposal.ChaincodeAction): JsonObject {
  const response = result.getResponse();
  return {
    chaincode_id: optional(result.getChaincodeId(), plainMessage),
    events: eventJson(result.getEvents_asU8()),
    response: response ? { ...plainMessage(response), payload: textOrBase64(response.getPayload_asU8()) } : null,
    results: readWriteSetJson(result.getResults_asU8()),
  };
}

function eventJson(bytes: Uint8Array): JsonValue {
  if (bytes.length === 0) return null;
  const event = readMessage(events.ChaincodeEvent, bytes);
  return { ...plainMessage(event), payload: textOrBase64(event.getPayload_asU8()) };
}

function endorsementJson({ endorser, signature }: DecodedEndorsement): JsonObject {
  return { endorser: identityJson(endorser), signature: base64(signature) };
}

function optional<T>(message: T | undefined, toJson: (message: T) => JsonValue): JsonValue {
  return message === undefined ? null : toJson(message);
}
