import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import type { Map as MessageMap } from 'google-protobuf';
import { base64 } from '../decode/text-or-base64.js';
import type { JsonObject, JsonValue } from './transaction-description.js';
import { configValueJson } from './config-value-json.js';
import { signatureHeaderJson } from './identity-json.js';
import { policyJson } from './policy-json.js';
import { readMessage } from '../decode/read-message.js';

/** Message `common.ConfigEnvelope`: the configuration, without the update that led to it. */
export function configJson(envelope: configtx.ConfigEnvelope): JsonValue {
  const config = envelope.getConfig();
  return config === undefined
    ? null
    : { sequence: config.getSequence(), channel_group: groupJson(config.getChannelGroup()) };
}

/** Message `common.ConfigUpdateEnvelope`: what somebody asked to change, and who signed it. */
export function configUpdateJson(bytes: Uint8Array): JsonObject {
  const envelope = readMessage(configtx.ConfigUpdateEnvelope, bytes);
  const update = readMessage(configtx.ConfigUpdate, envelope.getConfigUpdate_asU8());
  return {
    config_update: {
      channel_id: update.getChannelId(),
      read_set: groupJson(update.getReadSet()),
      write_set: groupJson(update.getWriteSet()),
    },
    signatures: envelope.getSignaturesList().map((signature) => ({
      signature_header: signatureHeaderJson(signature.getSignatureHeader_asU8()),
      signature: base64(signature.getSignature_asU8()),
    })),
  };
}

function groupJson(group: configtx.ConfigGroup | undefined): JsonValue {
  if (group === undefined) return null;
  return {
    version: group.getVersion(),
    mod_policy: group.getModPolicy(),
    groups: mapJson(group.getGroupsMap(), (_, child) => groupJson(child)),
    values: mapJson(group.getValuesMap(), (key, value) => ({
      version: value.getVersion(),
      mod_policy: value.getModPolicy(),
      value: configValueJson(key, value.getValue_asU8()),
    })),
    policies: mapJson(group.getPoliciesMap(), (_, policy) => configPolicyJson(policy)),
  };
}

function configPolicyJson(item: configtx.ConfigPolicy): JsonObject {
  const policy = item.getPolicy();
  return {
    version: item.getVersion(),
    mod_policy: item.getModPolicy(),
    policy: policy === undefined ? null : policyJson(policy),
  };
}

function mapJson<T>(map: MessageMap<string, T>, toJson: (key: string, value: T) => JsonValue): JsonObject {
  const entries: [string, JsonValue][] = [];
  map.forEach((value, key) => entries.push([key, toJson(key, value)]));
  return Object.fromEntries(entries);
}
