import configuration from '@hyperledger/fabric-protos/lib/common/configuration_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import orderer from '@hyperledger/fabric-protos/lib/orderer/configuration_pb.js';
import raft from '@hyperledger/fabric-protos/lib/orderer/etcdraft/configuration_pb.js';
import bft from '@hyperledger/fabric-protos/lib/orderer/smartbft/configuration_pb.js';
import peer from '@hyperledger/fabric-protos/lib/peer/configuration_pb.js';
import { enumNames } from '../decode/enum-name.js';
import { base64 } from '../decode/text-or-base64.js';
import type { JsonObject, JsonValue } from './transaction-description.js';
import { plainMessage } from './plain-message.js';
import { readMessage } from '../decode/read-message.js';

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
export function configValueJson(key: string, bytes: Uint8Array): JsonValue {
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
