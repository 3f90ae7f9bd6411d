import { createPrivateKey, type KeyObject } from 'node:crypto';
import { signLowS } from '#fabric-codec/certificates';
import {
  bytesToEndorse,
  encodeEnvelope,
  encodePayload,
  type ProposalParts,
  serializeIdentity,
} from '#fabric-codec/encode';
import { moveBytes, packBytes, unpackBytes, WorkerCalls } from '#threads';

/** The number of the service's identity. */
export const SERVICE_SIGNER = 0;

/** A certificate and private key as PEM, which can be cloned to another thread. */
export interface SignerPem {
  readonly certificate: string;
  readonly privateKey: string;
}

/** A signing identity. */
export class Signer {
  /** Message `msp.SerializedIdentity`. */
  readonly identity: Uint8Array;
  readonly #key: KeyObject;

  constructor(mspId: string, { certificate, privateKey }: SignerPem) {
    this.identity = serializeIdentity(mspId, Buffer.from(certificate));
    this.#key = createPrivateKey(privateKey);
  }

  /** Signs on the calling thread: ECDSA over P-256 and SHA-256, DER, low S. */
  sign(bytes: Uint8Array): Uint8Array {
    return signLowS(bytes, this.#key);
  }
}

/** The identities that sign transactions: the peer endorses all of them, one of the clients signs each. */
export interface TransactionSigners {
  readonly mspId: string;
  readonly peer: SignerPem;
  /** Indexed by signer number. */
  readonly clients: readonly SignerPem[];
}

/** A simulated transaction, ready to be signed by the client with that number. */
export interface UnsignedTransaction {
  readonly signer: number;
  readonly proposal: ProposalParts;
  /** Message `protos.ProposalResponsePayload`. */
  readonly response: Uint8Array;
}

/** Byte arrays of a transaction in a pack: the parts of its proposal, and the response. */
const PARTS = 4;

/** Creates envelopes with both signatures on the calling thread. */
export class EnvelopeSigner {
  readonly #mspId: string;
  readonly #peer: Signer;
  readonly #clients: Signer[] = [];

  constructor({ mspId, peer, clients }: TransactionSigners) {
    this.#mspId = mspId;
    this.#peer = new Signer(mspId, peer);
    for (const client of clients) this.add(client);
  }

  /** Adds a client, which gets the next signer number. */
  add(client: SignerPem): void {
    this.#clients.push(new Signer(this.#mspId, client));
  }

  client(signer: number): Signer {
    const client = this.#clients[signer];
    if (client === undefined) throw new RangeError(`there is no signer ${signer}`);
    return client;
  }

  /** Returns the messages `common.Envelope` of transactions, in their order. */
  envelopes(transactions: readonly UnsignedTransaction[]): Uint8Array[] {
    return transactions.map(({ signer, proposal, response }) => {
      const endorser = this.#peer.identity;
      const signature = this.#peer.sign(bytesToEndorse(response, endorser));
      const payload = encodePayload(proposal, response, [{ endorser, signature }]);
      return encodeEnvelope(payload, this.client(signer).sign(payload));
    });
  }

  /**
   * Does the same for another thread.
   * @param signers - of the transactions
   * @param packed - {@link PARTS} byte arrays for each transaction
   */
  packedEnvelopes(signers: readonly number[], packed: Uint8Array): Uint8Array {
    const parts = unpackBytes(packed);
    const unsigned = signers.map((signer, index): UnsignedTransaction => {
      const own = parts.slice(index * PARTS, (index + 1) * PARTS);
      const [channelHeader, signatureHeader, chaincodePayload, response] = own as [
        Uint8Array,
        Uint8Array,
        Uint8Array,
        Uint8Array,
      ];
      return { signer, proposal: { channelHeader, signatureHeader, chaincodePayload }, response };
    });
    return moveBytes(packBytes(this.envelopes(unsigned)));
  }
}

/**
 * Signs batches of transactions on another thread in parallel with the writer. Waking one of libuv's threads for each
 * signature would cost the writer as much as half a signature. The thread starts with the first batch; after it has ended,
 * batches are signed on this thread.
 */
export class SigningThread {
  /** Signs on this thread. */
  readonly here: EnvelopeSigner;
  #signers: TransactionSigners;
  #calls: WorkerCalls<EnvelopeSigner> | undefined;

  constructor(signers: TransactionSigners) {
    this.#signers = signers;
    this.here = new EnvelopeSigner(this.#signers);
  }

  /** Adds a client, which gets the next signer number. */
  add(client: SignerPem): void {
    this.#signers = { ...this.#signers, clients: [...this.#signers.clients, client] };
    this.here.add(client);
    this.#calls?.send('add', client);
  }

  /** Returns the envelopes of transactions, in their order. */
  async envelopes(transactions: readonly UnsignedTransaction[]): Promise<readonly Uint8Array[]> {
    this.#calls ??= this.#start();
    const signers = transactions.map(({ signer }) => signer);
    const parts = transactions.flatMap(({ proposal, response }) => {
      const { channelHeader, signatureHeader, chaincodePayload } = proposal;
      return [channelHeader, signatureHeader, chaincodePayload, response];
    });
    try {
      return unpackBytes(await this.#calls.call('packedEnvelopes', signers, moveBytes(packBytes(parts))));
    } catch {
      return this.here.envelopes(transactions);
    }
  }

  /** Ends the thread. Pending and later batches are signed on this thread. */
  async close(): Promise<void> {
    await this.#calls?.terminate();
  }

  #start(): WorkerCalls<EnvelopeSigner> {
    const data = this.#signers;
    const calls = new WorkerCalls<EnvelopeSigner>({ name: 'signer', data, relativeTo: import.meta.url, task: 'signs' });
    calls.unref();
    return calls;
  }
}
