import configuration from '@hyperledger/fabric-protos/lib/common/configuration_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import orderer from '@hyperledger/fabric-protos/lib/orderer/configuration_pb.js';
import raft from '@hyperledger/fabric-protos/lib/orderer/etcdraft/configuration_pb.js';
import bft from '@hyperledger/fabric-protos/lib/orderer/smartbft/configuration_pb.js';
import peer from '@hyperledger/fabric-protos/lib/peer/configuration_pb.js';
import { enumNames } from '../enum-name.js';
import { base64 } from '../text-or-base64.js';
import type { JsonObject, JsonValue } from '../transaction-description.js';
import { plainMessage } from './plain-message.js';

const consensusStateName = enumNames(orderer.ConsensusType.State);
const FABRIC_MSP = 0;

/** What stands under each key of a configuration group (Fabric's channelconfig package). */
const VALUES: ReadonlyMap<string, (bytes: Uint8Array) => JsonObject> = new Map([
  ['ACLs', (bytes: Uint8Array) => plainMessage(peer.ACLs.deserializeBinary(bytes))],
  ['AnchorPeers', (bytes) => plainMessage(peer.AnchorPeers.deserializeBinary(bytes))],
  ['BatchSize', (bytes) => plainMessage(orderer.BatchSize.deserializeBinary(bytes))],
  ['BatchTimeout', (bytes) => plainMessage(orderer.BatchTimeout.deserializeBinary(bytes))],
  [
    'BlockDataHashingStructure',
    (bytes) => plainMessage(configuration.BlockDataHashingStructure.deserializeBinary(bytes)),
  ],
  ['Capabilities', (bytes) => plainMessage(configuration.Capabilities.deserializeBinary(bytes))],
  ['ChannelRestrictions', (bytes) => plainMessage(orderer.ChannelRestrictions.deserializeBinary(bytes))],
  ['ConsensusType', consensusTypeJson],
  ['Consortium', (bytes) => plainMessage(configuration.Consortium.deserializeBinary(bytes))],
  ['Endpoints', (bytes) => plainMessage(configuration.OrdererAddresses.deserializeBinary(bytes))],
  ['HashingAlgorithm', (bytes) => plainMessage(configuration.HashingAlgorithm.deserializeBinary(bytes))],
  ['MSP', mspJson],
  ['OrdererAddresses', (bytes) => plainMessage(configuration.OrdererAddresses.deserializeBinary(bytes))],
  ['Orderers', (bytes) => plainMessage(configuration.Orderers.deserializeBinary(bytes))],
]);

/** A configuration value decoded by its key; base64 under a key that this does not know. */
export function configValueJson(key: string, bytes: Uint8Array): JsonValue {
  return VALUES.get(key)?.(bytes) ?? base64(bytes);
}

function mspJson(bytes: Uint8Array): JsonObject {
  const definition = msp.MSPConfig.deserializeBinary(bytes);
  const config = definition.getConfig_asU8();
  const isFabric = definition.getType() === FABRIC_MSP;
  return {
    type: definition.getType(),
    config: isFabric ? plainMessage(msp.FabricMSPConfig.deserializeBinary(config)) : base64(config),
  };
}

function consensusTypeJson(bytes: Uint8Array): JsonObject {
  const consensus = orderer.ConsensusType.deserializeBinary(bytes);
  return {
    type: consensus.getType(),
    metadata: consensusMetadataJson(consensus.getType(), consensus.getMetadata_asU8()),
    state: consensusStateName(consensus.getState()),
  };
}

function consensusMetadataJson(type: string, metadata: Uint8Array): JsonValue {
  switch (type) {
    case 'etcdraft':
      return plainMessage(raft.ConfigMetadata.deserializeBinary(metadata));
    case 'BFT':
      return plainMessage(bft.Options.deserializeBinary(metadata));
    default:
      return base64(metadata);
  }
}
