import { common, msp, peer } from '@hyperledger/fabric-protos';
import { type Proposal, transactionIdOf } from '#fabric-codec/encode';
import { isSignedByMember, serialNumberOf, STAND_IN_MSP, type StandInOrganisation } from './stand-in-identities.js';

/** A decoded proposal. */
export interface StandInProposal extends Proposal {
  readonly channel: string;
  readonly chaincode: string;
  readonly function: string;
  readonly arguments: readonly Buffer[];
  /** ISO 8601. */
  readonly timestamp: string;
  /** Private data, which the payload is without, as in a transaction. */
  readonly transient: ReadonlyMap<string, Uint8Array>;
  /** The serialized `msp.SerializedIdentity` of the caller. */
  readonly creator: Uint8Array;
  /** The serialized `protos.SignedProposal`. */
  readonly signed: Uint8Array;
}

/** The refusal of a proposal before it is executed; the text is Fabric's. */
export class ProposalRefusal extends Error {}

/** Decodes a proposal, and checks its signature, creator and id as a peer does. */
export function readProposal(signed: peer.SignedProposal, organisation: StandInOrganisation): StandInProposal {
  const proposal = peer.Proposal.deserializeBinary(signed.getProposalBytes_asU8());
  const header = common.Header.deserializeBinary(proposal.getHeader_asU8());
  const channelHeader = common.ChannelHeader.deserializeBinary(header.getChannelHeader_asU8());
  const signatureHeader = common.SignatureHeader.deserializeBinary(header.getSignatureHeader_asU8());
  const creator = msp.SerializedIdentity.deserializeBinary(signatureHeader.getCreator_asU8());
  requireMember(channelHeader.getChannelId(), creator, signed, organisation);
  const transactionId = transactionIdOf(signatureHeader.getNonce_asU8(), signatureHeader.getCreator_asU8());
  if (transactionId !== channelHeader.getTxId()) throw new ProposalRefusal('incorrectly computed txid');

  const payload = peer.ChaincodeProposalPayload.deserializeBinary(proposal.getPayload_asU8());
  const transient = payload.getTransientmapMap();
  const values = transient.getEntryList().map(([key, value]) => [key, Uint8Array.from(value as Uint8Array)] as const);
  if (values.length > 0) transient.clear();
  const chaincodePayload = values.length > 0 ? payload.serializeBinary() : proposal.getPayload_asU8();
  const spec = specIn(chaincodePayload);
  const [name = new Uint8Array(), ...args] = spec?.getInput()?.getArgsList_asU8() ?? [];
  return {
    transactionId,
    channelHeader: header.getChannelHeader_asU8(),
    signatureHeader: header.getSignatureHeader_asU8(),
    chaincodePayload,
    channel: channelHeader.getChannelId(),
    chaincode: spec?.getChaincodeId()?.getName() ?? '',
    function: Buffer.from(name).toString(),
    arguments: args.map((argument) => Buffer.from(argument)),
    timestamp: channelHeader.getTimestamp()?.toDate().toISOString() ?? '',
    transient: new Map(values),
    creator: signatureHeader.getCreator_asU8(),
    signed: signed.serializeBinary(),
  };
}

/** Returns the target of a proposal, which a peer reads before it checks the creator. */
export function readTarget(signed: peer.SignedProposal): Pick<StandInProposal, 'channel' | 'chaincode'> {
  const proposal = peer.Proposal.deserializeBinary(signed.getProposalBytes_asU8());
  const header = common.Header.deserializeBinary(proposal.getHeader_asU8());
  const channel = common.ChannelHeader.deserializeBinary(header.getChannelHeader_asU8()).getChannelId();
  return { channel, chaincode: specIn(proposal.getPayload_asU8())?.getChaincodeId()?.getName() ?? '' };
}

function specIn(chaincodePayload: Uint8Array): peer.ChaincodeSpec | undefined {
  const input = peer.ChaincodeProposalPayload.deserializeBinary(chaincodePayload).getInput_asU8();
  return peer.ChaincodeInvocationSpec.deserializeBinary(input).getChaincodeSpec();
}

function requireMember(
  channel: string,
  creator: msp.SerializedIdentity,
  signed: peer.SignedProposal,
  { root, revoked }: StandInOrganisation,
): void {
  const isMember =
    creator.getMspid() === STAND_IN_MSP &&
    !revoked.has(serialNumberOf(creator.getIdBytes_asU8())) &&
    isSignedByMember(root.certificate, {
      certificate: creator.getIdBytes_asU8(),
      bytes: signed.getProposalBytes_asU8(),
      signature: signed.getSignature_asU8(),
    });
  if (!isMember) {
    throw new ProposalRefusal(
      `error validating proposal: access denied: channel [${channel}] creator org unknown, creator is malformed`,
    );
  }
}
