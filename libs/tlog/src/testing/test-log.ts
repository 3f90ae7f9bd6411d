import { signatureLine, SignatureType } from '../signed-note.js';
import { generateKey, signBytes, type SignerKey } from '../signing-keys.js';
import { base64Of } from '../text.js';
import { leafHash } from '../merkle.js';
import { consistencyProof, rootOf } from './reference-tree.js';

/** A log that signs checkpoints of any size, and of any other tree. */
export class TestLog {
  readonly key: SignerKey;
  readonly leaves: readonly Uint8Array[];

  constructor(origin = 'ledger.example.org/assets', content = 'entry') {
    this.key = generateKey(origin, SignatureType.ED25519);
    this.leaves = Array.from({ length: 300 }, (_, index) => leafHash(Buffer.from(`${content} ${index}`)));
  }

  /** A signed checkpoint, by default a good one. */
  checkpoint(
    size: number,
    { origin = this.key.name, root = rootOf(this.leaves.slice(0, size)), signer = this.key } = {},
  ): string {
    const text = `${origin}\n${size}\n${base64Of(root)}\n`;
    return `${text}\n${signatureLine(signer, signBytes(signer, Buffer.from(text)))}`;
  }

  /** The body of `POST /add-checkpoint`. */
  request(old: number, size: number, checkpoint = this.checkpoint(size)): string {
    const proof = size >= old ? consistencyProof(this.leaves.slice(0, size), old) : [];
    return `old ${old}\n${proof.map((hash) => `${base64Of(hash)}\n`).join('')}\n${checkpoint}`;
  }
}
