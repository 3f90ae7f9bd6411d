import { bytesToEndorse, encodeEnvelope, encodePayload } from '../../../../fabric-blocks/encode/transaction-encoder.js';
import type { ProposalParts } from '../../../../fabric-blocks/hash/proposal-hash.js';
import { Signer, type SignerPem } from './signer.js';

/** Who signs a transaction: the peer endorses it, the client submits it. */
export interface TransactionSigners {
  readonly mspId: string;
  readonly peer: SignerPem;
  readonly client: SignerPem;
}

/** A transaction that was run and is ready to be signed. */
export interface UnsignedTransaction {
  readonly proposal: ProposalParts;
  /** Message `protos.ProposalResponsePayload`. */
  readonly response: Uint8Array;
}

/** Makes the envelope of a transaction on the calling thread, with both its signatures. */
export class EnvelopeSigner {
  readonly client: Signer;
  readonly peer: Signer;

  constructor({ mspId, peer, client }: TransactionSigners) {
    this.client = new Signer(mspId, client);
    this.peer = new Signer(mspId, peer);
  }

  /** Message `common.Envelope`. */
  envelope({ proposal, response }: UnsignedTransaction): Uint8Array {
    const endorser = this.peer.identity;
    const signature = this.peer.sign(bytesToEndorse(response, endorser));
    const payload = encodePayload(proposal, response, [{ endorser, signature }]);
    return encodeEnvelope(payload, this.client.sign(payload));
  }
}
