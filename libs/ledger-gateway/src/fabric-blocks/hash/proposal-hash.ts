import { type Buffer } from 'node:buffer';
import { join } from '../encode/proto-fields.js';
import { sha256 } from './sha256.js';

/** The parts of a proposal that its hash covers. */
export interface ProposalParts {
  readonly channelHeader: Uint8Array;
  readonly signatureHeader: Uint8Array;
  /** Message `protos.ChaincodeProposalPayload`, without a transient map. */
  readonly chaincodePayload: Uint8Array;
}

/** The hash that ties an endorsement to its proposal (protoutil.GetProposalHash1). */
export function proposalHashOf({ channelHeader, signatureHeader, chaincodePayload }: ProposalParts): Buffer {
  return sha256(join([channelHeader, signatureHeader, chaincodePayload]));
}
