import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import { decodeBlock } from '../decode/decode-block.js';
import { decodeEnvelope } from '../decode/decode-envelope.js';
import { encodeEnvelope } from '../encode/transaction-encoder.js';
import { ChannelTrust } from '../verify/trust/channel-trust.js';
import type { Member } from '../verify/trust/organisation.js';
import { TestChain, type Signer, type TestOrganisation } from './test-chain.js';

/** What a channel of the organisations trusts when its configuration is changed so. */
export function trustOf(
  organisations: readonly TestOrganisation[],
  edit: (group: configtx.ConfigGroup) => void = () => undefined,
): ChannelTrust {
  const [block = new Uint8Array()] = new TestChain(organisations).blocks;
  const { payload, data } = decodeEnvelope(decodeBlock(block).envelopes[0]!);
  const config = configtx.ConfigEnvelope.deserializeBinary(data);
  edit(config.getConfig()!.getChannelGroup()!);
  const changed = common.Payload.deserializeBinary(payload);
  changed.setData(config.serializeBinary());
  return ChannelTrust.fromEnvelope(encodeEnvelope(changed.serializeBinary(), new Uint8Array()));
}

/** The member that signs so. */
export function memberOf(trust: ChannelTrust, { identity }: Signer): Member {
  const member = trust.member(identity);
  if (typeof member === 'string') throw new Error(member);
  return member;
}
