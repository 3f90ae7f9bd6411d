import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import proposal from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import events from '@hyperledger/fabric-protos/lib/peer/chaincode_event_pb.js';
import chaincode from '@hyperledger/fabric-protos/lib/peer/chaincode_pb.js';
import kv from '@hyperledger/fabric-protos/lib/ledger/rwset/kvrwset/kv_rwset_pb.js';
import rwset from '@hyperledger/fabric-protos/lib/ledger/rwset/rwset_pb.js';
import {
  decodeActions,
  decodeEnvelope,
  type DecodedEnvelope,
  type DecodedAction,
  type DecodedEndorsement,
} from '../decode/decode-envelope.js';
import { base64, enumNames, textOrBase64 } from '../decode/text-of.js';
import type { JsonObject, JsonValue } from './transaction-description.js';
import { configJson, configUpdateJson } from './config-json.js';
import { signatureHeaderJson, plainMessage, identityJson } from './message-json.js';
import { readMessage } from '../decode/read-message.js';

/** A whole envelope as JSON with the field names that Fabric's configtxlator uses; data of an unknown type as base64. */
export function envelopeJson(envelope: DecodedEnvelope): JsonObject {
  return {
    payload: {
      header: {
        channel_header: channelHeaderJson(envelope),
        signature_header: signatureHeaderJson(envelope.signatureHeader),
      },
      data: dataJson(envelope),
    },
    signature: base64(envelope.signature),
  };
}

function channelHeaderJson(envelope: DecodedEnvelope): JsonObject {
  const header = readMessage(common.ChannelHeader, envelope.channelHeader);
  return {
    ...plainMessage(header),
    timestamp: envelope.timestamp,
    extension: extensionJson(envelope.type, header.getExtension_asU8()),
  };
}

function extensionJson(type: number, extension: Uint8Array): JsonValue {
  if (type !== common.HeaderType.ENDORSER_TRANSACTION) return base64(extension);
  return orBase64(extension, () => plainMessage(readMessage(proposal.ChaincodeHeaderExtension, extension)));
}

function dataJson({ type, data }: DecodedEnvelope): JsonValue {
  switch (type) {
    case common.HeaderType.ENDORSER_TRANSACTION:
      return orBase64(data, () => ({ actions: decodeActions(data).map(actionJson) }));
    case common.HeaderType.CONFIG:
      return orBase64(data, () => configEnvelopeJson(data));
    case common.HeaderType.CONFIG_UPDATE:
      return orBase64(data, () => configUpdateJson(data));
    default:
      return base64(data);
  }
}

function configEnvelopeJson(data: Uint8Array): JsonObject {
  const envelope = readMessage(configtx.ConfigEnvelope, data);
  const update = envelope.getLastUpdate();
  return {
    config: configJson(envelope),
    last_update: update === undefined ? null : envelopeJson(decodeEnvelope(update.serializeBinary())),
  };
}

/** A peer records what clients sent even where it is garbage, with a code that says so: it is shown as it came. */
function orBase64(bytes: Uint8Array, toJson: () => JsonObject): JsonValue {
  try {
    return toJson();
  } catch {
    return base64(bytes);
  }
}

const chaincodeTypeName = enumNames(chaincode.ChaincodeSpec.Type);

/** Message `protos.TransactionAction` with everything in it decoded. */
function actionJson(action: DecodedAction): JsonObject {
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

const dataModelName = enumNames(rwset.TxReadWriteSet.DataModel);

/** Message `rwset.TxReadWriteSet` with the sets of every namespace; written values as text where they are text. */
function readWriteSetJson(bytes: Uint8Array): JsonObject {
  const results = readMessage(rwset.TxReadWriteSet, bytes);
  return { data_model: dataModelName(results.getDataModel()), ns_rwset: results.getNsRwsetList().map(namespaceJson) };
}

function namespaceJson(set: rwset.NsReadWriteSet): JsonObject {
  const keys = readMessage(kv.KVRWSet, set.getRwset_asU8());
  const writes = keys.getWritesList().map((write) => ({
    key: write.getKey(),
    is_delete: write.getIsDelete(),
    value: textOrBase64(write.getValue_asU8()),
  }));
  return {
    namespace: set.getNamespace(),
    rwset: { ...plainMessage(keys), writes },
    collection_hashed_rwset: set.getCollectionHashedRwsetList().map(collectionJson),
  };
}

function collectionJson(set: rwset.CollectionHashedReadWriteSet): JsonObject {
  return {
    collection_name: set.getCollectionName(),
    hashed_rwset: plainMessage(readMessage(kv.HashedRWSet, set.getHashedRwset_asU8())),
    pvt_rwset_hash: base64(set.getPvtRwsetHash_asU8()),
  };
}
