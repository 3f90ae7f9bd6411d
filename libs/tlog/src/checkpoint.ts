import {
  isSignedBy,
  parseNote,
  signaturesBy,
  signatureLine,
  SignatureType,
  signBytes,
  type SignedNote,
  type SignerKey,
  type VerifierKey,
} from './signed-note.js';
import { HASH_BYTES, type TreeHead } from './merkle.js';
import { base64Of, bytesOfBase64, parseCount, TlogFault } from './text.js';

// Checkpoints (https://c2sp.org/tlog-checkpoint@v1.0.0) and cosignatures (https://c2sp.org/tlog-cosignature@v1.0.1).

/** What a log states with its signature: its tree has this size and root. */
export interface Checkpoint extends TreeHead {
  /** The name of the log. */
  readonly origin: string;
  /** The text that was signed, with its extension lines. */
  readonly note: SignedNote;
}

/** A timestamp of 64 bits before the signature. */
const TIME_BYTES = 8;

/** Returns a checkpoint that is signed by a log, whose name is its origin. */
export function signCheckpoint(key: SignerKey, { size, root }: TreeHead): string {
  const text = `${key.name}\n${size}\n${base64Of(root)}\n`;
  return `${text}\n${signatureLine(key, signBytes(key, Buffer.from(text)))}`;
}

/** Parses a checkpoint; its signatures are not verified. @throws {@link TlogFault} */
export function parseCheckpoint(text: string): Checkpoint {
  const note = parseNote(text);
  const [origin = '', count, encoded = '', ...extensions] = note.text.slice(0, -1).split('\n');
  const size = parseCount(count);
  const root = bytesOfBase64(encoded);
  if (origin === '') throw new TlogFault('the checkpoint has no origin');
  if (size === undefined) throw new TlogFault('the size of the checkpoint is not a number up to 2^53 - 1');
  if (root?.length !== HASH_BYTES) throw new TlogFault('the root of the checkpoint is not 32 bytes in base64');
  if (extensions.includes('')) throw new TlogFault('the checkpoint has an empty line');
  return { origin, size, root, note };
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
export function cosignedAt({ note }: Checkpoint, key: VerifierKey): number | undefined {
  for (const signature of signaturesBy(note, key)) {
    if (signature.length <= TIME_BYTES) continue;
    const seconds = Buffer.from(signature).readBigUInt64BE();
    if (isSignedBy(key, cosignedBytes(note.text, seconds), signature.subarray(TIME_BYTES))) return Number(seconds);
  }
  return undefined;
}

function cosignedBytes(text: string, seconds: bigint): Uint8Array {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
}
