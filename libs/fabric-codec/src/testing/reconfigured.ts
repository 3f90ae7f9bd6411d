import { randomBytes } from 'node:crypto';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import { decodeBlock } from '../decode/decode-block.js';
import { decodeEnvelope } from '../decode/decode-envelope.js';
import { transactionIdOf } from '../encode/hashes.js';
import { encodeEnvelope } from '../encode/transaction-encoder.js';
import type { TestChain } from './test-chain.js';
import { org1 } from './verify-chain.js';

/** Repeats the configuration of block 0 with changes, as an orderer sends it: with an empty transaction id. */
export function reconfigured(
  chain: TestChain,
  sequence: number,
  edit: (config: configtx.ConfigEnvelope) => void = () => undefined,
  transactionId = '',
): Uint8Array {
  const envelope = decodeEnvelope(decodeBlock(chain.blocks[0]!).envelopes[0]!);
  const payload = common.Payload.deserializeBinary(envelope.payload);
  const config = configtx.ConfigEnvelope.deserializeBinary(envelope.data);
  config.getConfig()!.setSequence(sequence);
  edit(config);
  payload.setData(config.serializeBinary());
  const nonce = randomBytes(24);
  const header = common.ChannelHeader.deserializeBinary(payload.getHeader()!.getChannelHeader_asU8());
  header.setTxId(transactionId === 'hash' ? transactionIdOf(nonce, org1.orderer.identity) : transactionId);
  const signature = new common.SignatureHeader();
  signature.setCreator(org1.orderer.identity);
  signature.setNonce(nonce);
  payload.getHeader()!.setChannelHeader(header.serializeBinary());
  payload.getHeader()!.setSignatureHeader(signature.serializeBinary());
  const bytes = payload.serializeBinary();
  return encodeEnvelope(bytes, org1.orderer.sign(bytes));
}

/** Returns an edit that adds an intermediate to Org1MSP, in PEM, and removes Org2MSP. */
export function reorganised(intermediate: string): (config: configtx.ConfigEnvelope) => void {
  return (config) => {
    const groups = config.getConfig()!.getChannelGroup()!.getGroupsMap();
    for (const section of ['Application', 'Orderer']) {
      const organisations = groups.get(section)!.getGroupsMap();
      organisations.del('Org2MSP');
      const value = organisations.get('Org1MSP')!.getValuesMap().get('MSP')!;
      const definition = msp.MSPConfig.deserializeBinary(value.getValue_asU8());
      const fabric = msp.FabricMSPConfig.deserializeBinary(definition.getConfig_asU8());
      fabric.addIntermediateCerts(Buffer.from(intermediate));
      definition.setConfig(fabric.serializeBinary());
      value.setValue(definition.serializeBinary());
    }
  };
}
