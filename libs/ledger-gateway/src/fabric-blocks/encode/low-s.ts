import { Buffer } from 'node:buffer';
import { sign, type KeyObject } from 'node:crypto';

/** The order n of P-256 (SEC 2, section 2.4.2). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const HALF_ORDER = ORDER / 2n;
const BYTES = 32;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** Signs on the calling thread as Fabric requires: ECDSA over P-256 and SHA-256, DER, low S. */
export function signLowS(message: Uint8Array, privateKey: KeyObject): Uint8Array {
  return lowS(sign('sha256', message, privateKey));
}

/**
 * Of the two valid signatures (r, s) and (r, n - s), returns the one with the lower S, the only one that Fabric accepts.
 * A signature that has it already is returned as it is.
 * @throws RangeError when the bytes are not a P-256 signature in DER
 */
export function lowS(signature: Uint8Array): Uint8Array {
  const numbers = readSignature(signature);
  if (numbers === undefined) throw new RangeError('Not a P-256 signature in DER.');
  const s = valueOf(numbers.s);
  if (s <= HALF_ORDER) return signature;
  const hex = (ORDER - s).toString(16);
  const digits = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const content = Buffer.concat([derInteger(numbers.r), derInteger(digits)]);
  return Buffer.concat([Buffer.from([SEQUENCE, content.length]), content]);
}

/** Returns whether the bytes are a P-256 signature in strict DER with low S. */
export function isLowS(signature: Uint8Array): boolean {
  const numbers = readSignature(signature);
  return numbers !== undefined && valueOf(numbers.s) <= HALF_ORDER;
}

function valueOf(digits: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(digits.buffer, digits.byteOffset, digits.byteLength).toString('hex')}`);
}

function derInteger(digits: Uint8Array): Buffer {
  const sign = digits.subarray(0, 1).some((byte) => byte >= 0x80) ? [0] : [];
  return Buffer.concat([Buffer.from([INTEGER, digits.length + sign.length, ...sign]), digits]);
}

/** Reads `SEQUENCE { INTEGER r, INTEGER s }`, both in the shortest form; returns undefined for anything else. */
function readSignature(signature: Uint8Array): { readonly r: Uint8Array; readonly s: Uint8Array } | undefined {
  if (signature[0] !== SEQUENCE || signature[1] !== signature.length - 2) return undefined;
  const r = readInteger(signature, 2);
  const s = r && readInteger(signature, 4 + r.length);
  return s && 6 + r.length + s.length === signature.length ? { r, s } : undefined;
}

function readInteger(bytes: Uint8Array, offset: number): Uint8Array | undefined {
  const start = offset + 2;
  const digits = bytes.subarray(start, start + (bytes[offset + 1] ?? 0));
  const isComplete = bytes[offset] === INTEGER && digits.length === bytes[offset + 1];
  return isComplete && isShortestPositive(digits) ? digits : undefined;
}

/** A leading zero precedes only a byte that would make the number negative. */
function isShortestPositive(digits: Uint8Array): boolean {
  const [first = 0, second = 0] = digits;
  if (first !== 0) return first < 0x80 && digits.length <= BYTES;
  return second >= 0x80 && digits.length <= BYTES + 1;
}
