import { Buffer } from 'node:buffer';
import { sign, type KeyObject } from 'node:crypto';

/** The order n of P-256 (SEC 2, section 2.4.2). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const HALF_ORDER = bytesOf(ORDER / 2n);
const BYTES = 32;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** Signs on the calling thread as Fabric requires: ECDSA over P-256 and SHA-256, DER, low S. */
export function signLowS(message: Uint8Array, privateKey: KeyObject): Buffer {
  return lowS(sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' }));
}

/**
 * Encodes a signature in DER: of the valid signatures (r, s) and (r, n - s) the one with the lower S, which Fabric requires.
 * @param numbers - r and s, 32 bytes each (IEEE P1363)
 */
export function lowS(numbers: Buffer): Buffer {
  const s = numbers.subarray(BYTES);
  const low = isLow(s) ? s : bytesOf(ORDER - BigInt(`0x${s.toString('hex')}`));
  const content = Buffer.concat([derInteger(numbers.subarray(0, BYTES)), derInteger(low)]);
  return Buffer.concat([Buffer.from([SEQUENCE, content.length]), content]);
}

/** Returns whether a P-256 signature in DER has low S. Its verification refuses other bytes, and other forms than strict DER. */
export function isLowS(signature: Uint8Array): boolean {
  // SEQUENCE { INTEGER r, INTEGER s }: a tag and a length of one byte each come before each value.
  const s = signature.subarray(6 + (signature[3] ?? 0));
  return s.length < BYTES || (s.length === BYTES && isLow(s));
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
