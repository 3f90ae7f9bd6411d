import { createPrivateKey, type KeyObject } from 'node:crypto';
import { serializeIdentity } from '../../../../fabric-blocks/encode/identity.js';
import { signLowS } from '../../../../fabric-blocks/encode/low-s.js';

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
