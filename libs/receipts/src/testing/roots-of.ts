import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import { decodeBlock, decodeEnvelope } from '#fabric-codec';
import type { TrustedRoot } from '../trusted-roots.js';

/** The roots of all organisations of a channel, as its block 0 names them. */
export function rootsOf(firstBlock: Uint8Array): readonly TrustedRoot[] {
  const { data } = decodeEnvelope(decodeBlock(firstBlock).envelopes[0]!);
  const channel = configtx.ConfigEnvelope.deserializeBinary(data).getConfig()!.getChannelGroup()!;
  const organisations = ['Application', 'Orderer'].flatMap((section) => {
    const groups = channel.getGroupsMap().get(section)!.getGroupsMap();
    return groups.toArray().map(([name]) => groups.get(name)!.getValuesMap().get('MSP')!);
  });
  return organisations.flatMap((value) => {
    const config = msp.MSPConfig.deserializeBinary(value.getValue_asU8()).getConfig_asU8();
    const organisation = msp.FabricMSPConfig.deserializeBinary(config);
    const mspId = organisation.getName();
    return organisation.getRootCertsList_asU8().map((pem) => ({ mspId, certificate: Buffer.from(pem).toString() }));
  });
}
