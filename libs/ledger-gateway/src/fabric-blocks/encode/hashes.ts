import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { join } from './proto-fields.js';

/**
 * SHA-256, the one hash that Fabric uses. By way of a text of its bytes, it costs half: the result then lies in Node's pool,
 * and not in memory of its own that the garbage collector has to know of.
 */
export function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'latin1');
}

/** A transaction's id: SHA-256 of the nonce and the serialized creator, as 64 hexadecimal characters. */
export function transactionIdOf(nonce: Uint8Array, creator: Uint8Array): string {
  return hash('sha256', join([nonce, creator]), 'hex');
}

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
