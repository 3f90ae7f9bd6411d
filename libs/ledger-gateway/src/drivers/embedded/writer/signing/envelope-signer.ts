import { bytesToEndorse, encodeEnvelope, encodePayload } from '../../../../fabric-blocks/encode/transaction-encoder.js';
import type { ProposalParts } from '../../../../fabric-blocks/hash/proposal-hash.js';
import { Signer, type SignerPem } from './signer.js';

/** Who signs transactions: the peer endorses them, one of the clients submits each. */
export interface TransactionSigners {
  readonly mspId: string;
  readonly peer: SignerPem;
  /** By their numbers. */
  readonly clients: readonly SignerPem[];
}

/** A transaction that was run and is ready to be signed. */
export interface UnsignedTransaction {
  /** Number of the client. */
  readonly signer: number;
  readonly proposal: ProposalParts;
  /** Message `protos.ProposalResponsePayload`. */
  readonly response: Uint8Array;
}

/** Makes the envelope of a transaction on the calling thread, with both its signatures. */
export class EnvelopeSigner {
  readonly peer: Signer;
  readonly #mspId: string;
  readonly #clients: Signer[] = [];

  constructor({ mspId, peer, clients }: TransactionSigners) {
    this.#mspId = mspId;
    this.peer = new Signer(mspId, peer);
    for (const client of clients) this.add(client);
  }

  /** Takes one more client, which gets the next number. */
  add(client: SignerPem): void {
    this.#clients.push(new Signer(this.#mspId, client));
  }

  client(signer: number): Signer {
    const client = this.#clients[signer];
    if (client === undefined) throw new RangeError(`nobody signs under the number ${signer}`);
    return client;
  }

  /** Message `common.Envelope`. */
  envelope({ signer, proposal, response }: UnsignedTransaction): Uint8Array {
    const endorser = this.peer.identity;
    const signature = this.peer.sign(bytesToEndorse(response, endorser));
    const payload = encodePayload(proposal, response, [{ endorser, signature }]);
    return encodeEnvelope(payload, this.client(signer).sign(payload));
  }
}
