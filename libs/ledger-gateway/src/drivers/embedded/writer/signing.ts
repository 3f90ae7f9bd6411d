import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { ProposalParts } from '../../../fabric-blocks/encode/hashes.js';
import {
  serializeIdentity,
  bytesToEndorse,
  encodeEnvelope,
  encodePayload,
} from '../../../fabric-blocks/encode/transaction-encoder.js';
import { signLowS } from '../../../fabric-blocks/encode/low-s.js';

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

/** A simulated transaction, ready to be signed. */
export interface UnsignedTransaction {
  /** Number of the client. */
  readonly signer: number;
  readonly proposal: ProposalParts;
  /** Message `protos.ProposalResponsePayload`. */
  readonly response: Uint8Array;
}

/** Creates envelopes with both signatures on the calling thread. */
export class EnvelopeSigner {
  readonly peer: Signer;
  readonly #mspId: string;
  readonly #clients: Signer[] = [];

  constructor({ mspId, peer, clients }: TransactionSigners) {
    this.#mspId = mspId;
    this.peer = new Signer(mspId, peer);
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

  /** Returns the message `common.Envelope`. */
  envelope({ signer, proposal, response }: UnsignedTransaction): Uint8Array {
    const endorser = this.peer.identity;
    const signature = this.peer.sign(bytesToEndorse(response, endorser));
    const payload = encodePayload(proposal, response, [{ endorser, signature }]);
    return encodeEnvelope(payload, this.client(signer).sign(payload));
  }
}

/** Number of byte strings of one transaction. */
const PARTS = 4;

/** Transactions in a message to the signing thread. */
export interface PackedTransactions extends PackedParts {
  /** The signer number of each transaction. */
  readonly signers: readonly number[];
}

/** Copies transactions into one transferable buffer: their parts are views of larger buffers, which a message would clone. */
export function packTransactions(transactions: readonly UnsignedTransaction[]): PackedTransactions {
  const parts = transactions.flatMap(({ proposal: { channelHeader, signatureHeader, chaincodePayload }, response }) => [
    channelHeader,
    signatureHeader,
    chaincodePayload,
    response,
  ]);
  return { ...packParts(parts), signers: transactions.map(({ signer }) => signer) };
}

/** Returns the transactions of a message. */
export function unpackTransactions(packed: PackedTransactions): UnsignedTransaction[] {
  const parts = unpackParts(packed);
  return packed.signers.map((signer, index) => {
    const [channelHeader, signatureHeader, chaincodePayload, response] = parts.slice(
      index * PARTS,
      (index + 1) * PARTS,
    ) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    return { signer, proposal: { channelHeader, signatureHeader, chaincodePayload }, response };
  });
}

/** Concatenated byte strings in one transferable buffer. */
export interface PackedParts {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of each byte string. */
  readonly ends: readonly number[];
}

/** Concatenates byte strings. */
export function packParts(parts: readonly Uint8Array[]): PackedParts {
  const ends: number[] = [];
  let end = 0;
  for (const part of parts) ends.push((end += part.length));
  const bytes = new Uint8Array(new ArrayBuffer(end));
  parts.forEach((part, index) => {
    bytes.set(part, (ends[index] ?? 0) - part.length);
  });
  return { bytes, ends };
}

/** Returns views of the byte strings. */
export function unpackParts({ bytes, ends }: PackedParts): Uint8Array[] {
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}
