import { Buffer } from 'node:buffer';

/** The order n of P-256 (SEC 2, section 2.4.2). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const HALF_ORDER = bytesOf(ORDER / 2n);
const BYTES = 32;
const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** Precedes a length of one byte that is 128 or more. */
const LONG_LENGTH = 0x81;

/**
 * Returns of the valid signatures (r, s) and (r, n - s) the one with the lower S, which Fabric requires.
 * @param signature - of P-256, in DER; {@link RangeError} if it is not
 */
export function lowS(signature: Buffer): Buffer {
  if (isLowS(signature)) return signature;
  // Only S is encoded again: half of all signatures come here.
  const start = 4 + signature.readUInt8(3);
  const s = readDerInteger(signature, start);
  if (s?.end !== signature.length || signature[1] !== signature.length - 2 || s.digits.length > BYTES)
    throw new RangeError('not a P-256 signature in DER');
  const low = Buffer.concat([signature.subarray(0, start), derInteger(orderMinus(s.digits))]);
  low[1] = low.length - 2;
  return low;
}

/** As {@link lowS}, for a signature in IEEE P1363 form, which WebCrypto creates. */
export function lowSP1363(signature: Buffer): Buffer {
  const s = signature.subarray(BYTES);
  if (isLow(s)) return signature;
  return Buffer.concat([signature.subarray(0, BYTES), orderMinus(s)]);
}

function orderMinus(s: Buffer): Buffer {
  return bytesOf(ORDER - BigInt(`0x${s.toString('hex')}`));
}

function derSignature(r: Buffer, s: Buffer): Buffer {
  const content = Buffer.concat([derInteger(r), derInteger(s)]);
  const length = content.length < 0x80 ? [content.length] : [LONG_LENGTH, content.length];
  return Buffer.concat([Buffer.from([SEQUENCE, ...length]), content]);
}

/** Returns whether a P-256 signature in DER has low S. Its verification refuses other bytes, and other forms than strict DER. */
export function isLowS(signature: Uint8Array): boolean {
  // SEQUENCE { INTEGER r, INTEGER s }: a tag and a length of one byte each come before each value.
  const s = signature.subarray(6 + (signature[3] ?? 0));
  return s.length < BYTES || (s.length === BYTES && isLow(s));
}

/**
 * Returns r and s of a signature in strict DER, in IEEE P1363 form, which WebCrypto requires; undefined for other bytes.
 * As OpenSSL does, it accepts only the one encoding of two positive integers, and nothing after them.
 * @param size - the number of bytes of each integer in the result: 32 for P-256
 */
export function p1363Of(signature: Uint8Array, size: number): Buffer | undefined {
  const { buffer, byteOffset, byteLength } = signature;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const first = readDerInteger(bytes, bytes[1] === LONG_LENGTH ? 3 : 2);
  const second = first && readDerInteger(bytes, first.end);
  if (first === undefined || second === undefined) return undefined;
  const [r, s] = [padded(first.digits, size), padded(second.digits, size)];
  // The encoding of a signature is unique: encoding it again must return the same bytes.
  const isStrict = r.length === size && s.length === size && Buffer.compare(derSignature(r, s), bytes) === 0;
  return isStrict ? Buffer.concat([r, s]) : undefined;
}

function readDerInteger(bytes: Buffer, offset: number): { readonly digits: Buffer; readonly end: number } | undefined {
  const end = offset + 2 + (bytes[offset + 1] ?? bytes.length);
  if (bytes[offset] !== INTEGER || end > bytes.length) return undefined;
  const content = bytes.subarray(offset + 2, end);
  return { digits: content[0] === 0 ? content.subarray(1) : content, end };
}

function padded(digits: Buffer, size: number): Buffer {
  return Buffer.concat([Buffer.alloc(Math.max(0, size - digits.length)), digits]);
}

function isLow(s: Uint8Array): boolean {
  return Buffer.compare(s, HALF_ORDER) <= 0;
}

function bytesOf(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}

/** A DER integer has no leading zeros, except before a byte that would make it negative. */
function derInteger(digits: Buffer): Buffer {
  const shortest = digits.subarray(digits.findIndex((byte) => byte > 0));
  const sign = shortest.readUInt8() >= 0x80 ? [0] : [];
  return Buffer.concat([Buffer.from([INTEGER, shortest.length + sign.length, ...sign]), shortest]);
}
