import { cosignaturesBy, cosignedBytes, TIME_BYTES, type Checkpoint } from './checkpoint.js';
import { signaturesBy, signatureLine, SignatureType, type VerifierKey } from './signed-note.js';
import { isSignedBy, signBytes, type SignerKey } from './signing-keys.js';
import type { TreeHead } from './merkle.js';
import { base64Of, TlogFault } from './text.js';

// Signatures of checkpoints by logs, and by witnesses (https://c2sp.org/tlog-cosignature@v1.0.1).

/** Returns a checkpoint that is signed by a log, whose name is its origin. */
export function signCheckpoint(key: SignerKey, { size, root }: TreeHead): string {
  const text = `${key.name}\n${size}\n${base64Of(root)}\n`;
  return `${text}\n${signatureLine(key, signBytes(key, Buffer.from(text)))}`;
}

/**
 * Returns whether one of these keys of a log signed a checkpoint.
 * @throws {@link TlogFault} when a signature names such a key and is not by it: the note is malformed
 */
export function isSignedByLog({ note }: Checkpoint, keys: readonly VerifierKey[]): boolean {
  const signatures = keys
    .filter(({ type }) => type === SignatureType.ED25519)
    .flatMap((key) => signaturesBy(note, key).map((signature) => ({ key, signature })));
  if (signatures.some(({ key, signature }) => !isSignedBy(key, Buffer.from(note.text), signature)))
    throw new TlogFault('a signature is not that of the key that it names');
  return signatures.length > 0;
}

/** Returns the line with which a witness confirms a checkpoint at a time, in whole seconds since the epoch. */
export function cosignatureLine(key: SignerKey, { note }: Checkpoint, seconds: number): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(seconds));
  return signatureLine(key, Buffer.concat([time, signBytes(key, cosignedBytes(note.text, BigInt(seconds)))]));
}

/** Returns when a witness confirmed a checkpoint, in seconds since the epoch; undefined if it did not. */
export function cosignedAt(checkpoint: Checkpoint, key: VerifierKey): number | undefined {
  return cosignaturesBy(checkpoint, key).find(({ content, signature }) => isSignedBy(key, content, signature))?.seconds;
}
