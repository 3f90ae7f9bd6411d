import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { base64Of, bytesOfBase64, TlogFault } from './text.js';

// Signed notes (https://c2sp.org/signed-note@v1.0.0): a text with signature lines below it. Signatures are made and verified
// elsewhere, so that browsers can read notes too.

/** Kinds of signatures. */
export const SignatureType = {
  /** Ed25519 over the text of the note. */
  ED25519: 0x01,
  /** A timestamped Ed25519 cosignature of a checkpoint (https://c2sp.org/tlog-cosignature). */
  COSIGNATURE: 0x04,
} as const;
export type SignatureType = (typeof SignatureType)[keyof typeof SignatureType];

/** A public key with the name that appears in signatures. */
export interface VerifierKey {
  readonly name: string;
  /** Identifies the key among those of its name: the first 32 bits of a hash of it. */
  readonly id: number;
  readonly type: SignatureType;
  /** 32 bytes (RFC 8032). */
  readonly publicKey: Uint8Array;
}

/** A signature line, its signature not verified. */
export interface NoteSignature {
  readonly name: string;
  readonly id: number;
  readonly signature: Uint8Array;
  /** As it was in the note, with its newline. */
  readonly line: string;
}

/** A note, its signatures not verified. */
export interface SignedNote {
  /** Ends with a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** More than any log has witnesses, so that one note cannot take long. */
const MAX_SIGNATURES = 100;
/** Bytes of an Ed25519 key, and of the seed of a private one (RFC 8032). */
export const KEY_BYTES = 32;
const NAME = /^[^\s+]+$/u;
const SIGNATURE_LINE = /^— (\S+) (\S+)$/u;
const KEY_ID = /^[0-9a-f]{8}$/;

/** Parses `NAME+ID+base64(type, public key)`, a vkey. @throws {@link TlogFault} */
export function parseVerifierKey(text: string): VerifierKey {
  const [name = '', id = '', encoded = '', ...rest] = text.split('+');
  // Standard base64 contains plus signs too.
  const bytes = bytesOfBase64([encoded, ...rest].join('+')) ?? Buffer.alloc(0);
  const key = verifierKey(name, typeOf(bytes[0]), bytes.subarray(1));
  if (!KEY_ID.test(id) || Number.parseInt(id, 16) !== key.id)
    throw new TlogFault('the id of the key is not that of its name, type and bytes');
  return key;
}

/** Returns the vkey of a key, which others verify with. */
export function verifierKeyText({ name, id, type, publicKey }: VerifierKey): string {
  return `${name}+${idText(id)}+${base64Of(Buffer.concat([Buffer.from([type]), publicKey]))}`;
}

/** Parses a note. @throws {@link TlogFault} */
export function parseNote(note: string): SignedNote {
  // eslint-disable-next-line no-control-regex -- a note contains no control characters but line feeds
  if (/[\0-\x09\x0b-\x1f]/.test(note)) throw new TlogFault('it contains control characters');
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) throw new TlogFault('it is not a signed note');
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw new TlogFault(`it has more than ${MAX_SIGNATURES} signatures`);
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignatureLine) };
}

/** Returns a signature line. */
export function signatureLine({ name, id }: VerifierKey, signature: Uint8Array): string {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(id);
  return `— ${name} ${base64Of(Buffer.concat([head, signature]))}\n`;
}

/** Returns the signatures of a note that name a key. Names and ids may collide, so that they are still to be verified. */
export function signaturesBy(note: SignedNote, key: VerifierKey): Uint8Array[] {
  return note.signatures.filter(({ name, id }) => name === key.name && id === key.id).map(({ signature }) => signature);
}

/** Returns a public key with the id that its name, type and bytes determine. @throws {@link TlogFault} */
export function verifierKey(name: string, type: SignatureType, publicKey: Uint8Array): VerifierKey {
  if (!NAME.test(name)) throw new TlogFault('the name of a key contains no white space and no plus sign');
  if (publicKey.length !== KEY_BYTES) throw new TlogFault('an Ed25519 key has 32 bytes');
  const named = Buffer.from(`${name}\n`);
  const hash = createHash('sha256')
    .update(named)
    .update(Buffer.from([type]))
    .update(publicKey)
    .digest();
  return { name, id: hash.readUInt32BE(), type, publicKey };
}

/** Returns the type that a byte names. @throws {@link TlogFault} */
export function typeOf(byte: number | undefined): SignatureType {
  if (byte === SignatureType.ED25519 || byte === SignatureType.COSIGNATURE) return byte;
  throw new TlogFault('it is not an Ed25519 key of a log or a witness');
}

function parseSignatureLine(line: string): NoteSignature {
  const [, name = '', encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = bytesOfBase64(encoded);
  if (!NAME.test(name) || bytes === undefined || bytes.length <= 4)
    throw new TlogFault('a signature line is malformed');
  return { name, id: bytes.readUInt32BE(), signature: bytes.subarray(4), line: `${line}\n` };
}

/** Returns the id of a key as its text forms contain it. */
export function idText(id: number): string {
  return id.toString(16).padStart(8, '0');
}
