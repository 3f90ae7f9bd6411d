import { sign, type KeyObject } from 'node:crypto';
import { Buffer } from 'node:buffer';

/** The order n of P-256, and half of it (SEC 2, section 2.4.2). */
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
const HALF_ORDER = Buffer.from('7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8', 'hex');
const BYTES = 32;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** The two numbers of a signature, 32 bytes each, big-endian. */
interface SignatureNumbers {
  readonly r: Buffer;
  readonly s: Buffer;
}

/**
 * Of the two valid signatures (r, s) and (r, n - s), gives the one with the lower S, the only one that Fabric takes.
 * The same array when it is that already.
 * @throws {@link RangeError} when the bytes are not a P-256 signature in DER
 */
export function lowS(signature: Uint8Array): Uint8Array {
  const numbers = readSignature(signature);
  if (numbers === undefined) throw new RangeError('Not a P-256 signature in DER.');
  return isLow(numbers.s) ? signature : writeSignature({ r: numbers.r, s: negate(numbers.s) });
}

/** Whether the bytes are a P-256 signature in strict DER with low S. */
export function isLowS(signature: Uint8Array): boolean {
  const numbers = readSignature(signature);
  return numbers !== undefined && isLow(numbers.s);
}

/** `SEQUENCE { INTEGER r, INTEGER s }`, both in the shortest form; undefined for anything else. */
function readSignature(signature: Uint8Array): SignatureNumbers | undefined {
  if (signature[0] !== SEQUENCE || signature[1] !== signature.length - 2) return undefined;
  const r = readInteger(signature, 2);
  if (r === undefined) return undefined;
  const s = readInteger(signature, r.end);
  if (s?.end !== signature.length) return undefined;
  return { r: r.value, s: s.value };
}

function readInteger(bytes: Uint8Array, offset: number): { value: Buffer; end: number } | undefined {
  const length = bytes[offset + 1] ?? 0;
  const end = offset + 2 + length;
  if (bytes[offset] !== INTEGER || length === 0 || length > BYTES + 1 || end > bytes.length) return undefined;
  const digits = bytes.subarray(offset + 2, end);
  if (!isShortestPositive(digits)) return undefined;
  const value = Buffer.alloc(BYTES);
  const significant = digits[0] === 0 ? digits.subarray(1) : digits;
  value.set(significant, BYTES - significant.length);
  return { value, end };
}

/** A leading zero precedes only a byte that would make the number negative. */
function isShortestPositive(digits: Uint8Array): boolean {
  const [first = 0, second = 0] = digits;
  if (first !== 0) return first < 0x80 && digits.length <= BYTES;
  return digits.length > 1 && second >= 0x80;
}

function isLow(s: Buffer): boolean {
  return Buffer.compare(s, HALF_ORDER) <= 0;
}

function negate(s: Buffer): Buffer {
  const result = Buffer.alloc(BYTES);
  let borrow = 0;
  for (let at = BYTES - 4; at >= 0; at -= 4) {
    const difference = ORDER.readUInt32BE(at) - s.readUInt32BE(at) - borrow;
    borrow = difference < 0 ? 1 : 0;
    result.writeUInt32BE(difference >>> 0, at);
  }
  return result;
}

function writeSignature({ r, s }: SignatureNumbers): Buffer {
  const content = Buffer.concat([writeInteger(r), writeInteger(s)]);
  return Buffer.concat([Buffer.from([SEQUENCE, content.length]), content]);
}

function writeInteger(value: Buffer): Buffer {
  let start = 0;
  while (start < BYTES - 1 && value[start] === 0) start++;
  const digits = value.subarray(start);
  const sign = digits.readUInt8() >= 0x80 ? [0] : [];
  return Buffer.concat([Buffer.from([INTEGER, digits.length + sign.length, ...sign]), digits]);
}

/** Signs on the calling thread as Fabric wants it: ECDSA over P-256 and SHA-256, DER, low S. */
export function signLowS(message: Uint8Array, privateKey: KeyObject): Uint8Array {
  return lowS(sign('sha256', message, privateKey));
}
