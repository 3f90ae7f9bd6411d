import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import type { Map as MessageMap } from 'google-protobuf';
import configuration from '@hyperledger/fabric-protos/lib/common/configuration_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import orderer from '@hyperledger/fabric-protos/lib/orderer/configuration_pb.js';
import raft from '@hyperledger/fabric-protos/lib/orderer/etcdraft/configuration_pb.js';
import bft from '@hyperledger/fabric-protos/lib/orderer/smartbft/configuration_pb.js';
import peer from '@hyperledger/fabric-protos/lib/peer/configuration_pb.js';
import policies from '@hyperledger/fabric-protos/lib/common/policies_pb.js';
import principals from '@hyperledger/fabric-protos/lib/msp/msp_principal_pb.js';
import { base64, enumNames } from '../decode/text-of.js';
import type { JsonObject, JsonValue } from './transaction-description.js';
import { signatureHeaderJson, plainMessage } from './message-json.js';
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

const consensusStateName = enumNames(orderer.ConsensusType.State);
const FABRIC_MSP = 0;

/** What stands under each key of a configuration group (Fabric's channelconfig package). */
const VALUES: ReadonlyMap<string, (bytes: Uint8Array) => JsonObject> = new Map([
  ['ACLs', (bytes: Uint8Array) => plainMessage(readMessage(peer.ACLs, bytes))],
  ['AnchorPeers', (bytes) => plainMessage(readMessage(peer.AnchorPeers, bytes))],
  ['BatchSize', (bytes) => plainMessage(readMessage(orderer.BatchSize, bytes))],
  ['BatchTimeout', (bytes) => plainMessage(readMessage(orderer.BatchTimeout, bytes))],
  ['BlockDataHashingStructure', (bytes) => plainMessage(readMessage(configuration.BlockDataHashingStructure, bytes))],
  ['Capabilities', (bytes) => plainMessage(readMessage(configuration.Capabilities, bytes))],
  ['ChannelRestrictions', (bytes) => plainMessage(readMessage(orderer.ChannelRestrictions, bytes))],
  ['ConsensusType', consensusTypeJson],
  ['Consortium', (bytes) => plainMessage(readMessage(configuration.Consortium, bytes))],
  ['Endpoints', (bytes) => plainMessage(readMessage(configuration.OrdererAddresses, bytes))],
  ['HashingAlgorithm', (bytes) => plainMessage(readMessage(configuration.HashingAlgorithm, bytes))],
  ['MSP', mspJson],
  ['OrdererAddresses', (bytes) => plainMessage(readMessage(configuration.OrdererAddresses, bytes))],
  ['Orderers', (bytes) => plainMessage(readMessage(configuration.Orderers, bytes))],
]);

/** A configuration value decoded by its key; base64 under a key that this does not know. */
function configValueJson(key: string, bytes: Uint8Array): JsonValue {
  return VALUES.get(key)?.(bytes) ?? base64(bytes);
}

function mspJson(bytes: Uint8Array): JsonObject {
  const definition = readMessage(msp.MSPConfig, bytes);
  const config = definition.getConfig_asU8();
  const isFabric = definition.getType() === FABRIC_MSP;
  return {
    type: definition.getType(),
    config: isFabric ? plainMessage(readMessage(msp.FabricMSPConfig, config)) : base64(config),
  };
}

function consensusTypeJson(bytes: Uint8Array): JsonObject {
  const consensus = readMessage(orderer.ConsensusType, bytes);
  return {
    type: consensus.getType(),
    metadata: consensusMetadataJson(consensus.getType(), consensus.getMetadata_asU8()),
    state: consensusStateName(consensus.getState()),
  };
}

function consensusMetadataJson(type: string, metadata: Uint8Array): JsonValue {
  switch (type) {
    case 'etcdraft':
      return plainMessage(readMessage(raft.ConfigMetadata, metadata));
    case 'BFT':
      return plainMessage(readMessage(bft.Options, metadata));
    default:
      return base64(metadata);
  }
}

const ruleName = enumNames(policies.ImplicitMetaPolicy.Rule);
const classificationName = enumNames(principals.MSPPrincipal.Classification);
const roleName = enumNames(principals.MSPRole.MSPRoleType);

/** Message `common.Policy` with its value decoded; base64 for a type that has no form of its own. */
function policyJson(policy: policies.Policy): JsonObject {
  return { type: policy.getType(), value: valueJson(policy.getType(), policy.getValue_asU8()) };
}

function valueJson(type: number, value: Uint8Array): JsonValue {
  switch (type) {
    case policies.Policy.PolicyType.SIGNATURE:
      return signaturePolicyJson(readMessage(policies.SignaturePolicyEnvelope, value));
    case policies.Policy.PolicyType.IMPLICIT_META: {
      const policy = readMessage(policies.ImplicitMetaPolicy, value);
      return { sub_policy: policy.getSubPolicy(), rule: ruleName(policy.getRule()) };
    }
    default:
      return base64(value);
  }
}

function signaturePolicyJson(envelope: policies.SignaturePolicyEnvelope): JsonObject {
  const rule = envelope.getRule();
  return {
    version: envelope.getVersion(),
    rule: rule === undefined ? null : ruleJson(rule),
    identities: envelope.getIdentitiesList().map(principalJson),
  };
}

/** A rule is either a number of rules or one signer. */
function ruleJson(rule: policies.SignaturePolicy): JsonObject {
  const several = rule.getNOutOf();
  if (several === undefined) return { signed_by: rule.getSignedBy() };
  return { n_out_of: { n: several.getN(), rules: several.getRulesList().map(ruleJson) } };
}

function principalJson(principal: principals.MSPPrincipal): JsonObject {
  const classification = principal.getPrincipalClassification();
  return {
    principal_classification: classificationName(classification),
    principal: principalValueJson(classification, principal.getPrincipal_asU8()),
  };
}

function principalValueJson(classification: number, value: Uint8Array): JsonValue {
  switch (classification) {
    case principals.MSPPrincipal.Classification.ROLE: {
      const role = readMessage(principals.MSPRole, value);
      return { msp_identifier: role.getMspIdentifier(), role: roleName(role.getRole()) };
    }
    case principals.MSPPrincipal.Classification.ORGANIZATION_UNIT:
      return plainMessage(readMessage(principals.OrganizationUnit, value));
    default:
      return base64(value);
  }
}
