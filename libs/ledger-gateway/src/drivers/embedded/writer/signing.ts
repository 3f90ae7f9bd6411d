import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { ProposalParts } from '../../../fabric-blocks/encode/hashes.js';
import {
  serializeIdentity,
  bytesToEndorse,
  encodeEnvelope,
  encodePayload,
} from '../../../fabric-blocks/encode/transaction-encoder.js';
import { signLowS } from '../../../fabric-blocks/encode/low-s.js';

/** What a signer is made of, as PEM: it can be handed to another thread. */
export interface SignerPem {
  readonly certificate: string;
  readonly privateKey: string;
}

/** Somebody who signs, with the identity that signatures are checked against. */
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

/** Byte strings of one transaction. */
const PARTS = 4;

/** Transactions on their way to the signing thread. */
export interface PackedTransactions extends PackedParts {
  /** Who signs each of them. */
  readonly signers: readonly number[];
}

/** Puts transactions into one buffer for the signing thread. */
export function packTransactions(transactions: readonly UnsignedTransaction[]): PackedTransactions {
  const parts = transactions.flatMap(({ proposal: { channelHeader, signatureHeader, chaincodePayload }, response }) => [
    channelHeader,
    signatureHeader,
    chaincodePayload,
    response,
  ]);
  return { ...packParts(parts), signers: transactions.map(({ signer }) => signer) };
}

/** The transactions again. */
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

/** Byte strings behind one another in one buffer, which changes threads without a copy. */
export interface PackedParts {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each of them ends. */
  readonly ends: readonly number[];
}

/** Copies byte strings into a buffer of their own. */
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

/** The byte strings again, as views. */
export function unpackParts({ bytes, ends }: PackedParts): Uint8Array[] {
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}
