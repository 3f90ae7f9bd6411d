import { Buffer } from 'node:buffer';
import { parseNote, signaturesBy, type SignedNote, type VerifierKey } from './signed-note.js';
import { HASH_BYTES, type TreeHead } from './merkle.js';
import { bytesOfBase64, parseCount, TlogFault } from './text.js';

// Checkpoints (https://c2sp.org/tlog-checkpoint@v1.0.0) and cosignatures (https://c2sp.org/tlog-cosignature@v1.0.1).

/** What a log states with its signature: its tree has this size and root. */
export interface Checkpoint extends TreeHead {
  /** The name of the log. */
  readonly origin: string;
  /** The text that was signed, with its extension lines. */
  readonly note: SignedNote;
}

/** A timestamp of 64 bits before the signature. */
export const TIME_BYTES = 8;

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

/** A cosignature that names a key. It is verified with the key over {@link content}. */
export interface Cosignature {
  /** When the witness confirmed the checkpoint, in seconds since the epoch. */
  readonly seconds: number;
  readonly content: Uint8Array;
  readonly signature: Uint8Array;
}

/** Returns the cosignatures of a checkpoint that name a witness, not verified. */
export function cosignaturesBy({ note }: Checkpoint, key: VerifierKey): Cosignature[] {
  return signaturesBy(note, key)
    .filter(({ length }) => length > TIME_BYTES)
    .map((bytes) => {
      const seconds = Buffer.from(bytes.subarray(0, TIME_BYTES)).readBigUInt64BE();
      const content = cosignedBytes(note.text, seconds);
      return { seconds: Number(seconds), content, signature: bytes.subarray(TIME_BYTES) };
    });
}

/** Returns the bytes that a witness signs when it confirms a checkpoint at a time, in seconds since the epoch. */
export function cosignedBytes(text: string, seconds: bigint): Uint8Array {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
}
