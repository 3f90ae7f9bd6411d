import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import proposal from '@hyperledger/fabric-protos/lib/peer/proposal_pb.js';
import { decodeActions } from '../decode/decode-actions.js';
import { decodeEnvelope, type DecodedEnvelope } from '../decode/decode-envelope.js';
import { base64 } from '../decode/text-or-base64.js';
import type { JsonObject, JsonValue } from './transaction-description.js';
import { actionJson } from './action-json.js';
import { configJson, configUpdateJson } from './config-json.js';
import { signatureHeaderJson } from './identity-json.js';
import { plainMessage } from './plain-message.js';
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
