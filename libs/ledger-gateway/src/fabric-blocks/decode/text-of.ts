import { Buffer, isUtf8 } from 'node:buffer';
import { X509Certificate } from 'node:crypto';
import type timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import transaction from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';

/** Control characters that text does not hold: all but tab, line feed and carriage return. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * Bytes as text when they are text, else as base64: UTF-8 with control characters is what a serialized message looks
 * like, so that counts as binary.
 */
export function textOrBase64(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) {
    const text = buffer.toString('utf8');
    if (!CONTROL.test(text)) return text;
  }
  return buffer.toString('base64');
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The last second of the year 9999, the last that ISO 8601 writes with four digits. */
const LAST_SECOND = 253_402_300_799;

/**
 * ISO 8601 in UTC, with three digits of the second, or nine where the clock gave more; empty for no timestamp or one
 * that lies outside the years 1970 to 9999.
 */
export function timestampText(timestamp: timestamps.Timestamp | undefined): string {
  const seconds = timestamp?.getSeconds() ?? -1;
  const nanos = timestamp?.getNanos() ?? 0;
  if (seconds < 0 || seconds > LAST_SECOND || nanos < 0 || nanos > 999_999_999) return '';
  const whole = new Date(seconds * 1000).toISOString().slice(0, -'.000Z'.length);
  const digits = String(nanos).padStart(9, '0');
  return `${whole}.${nanos % 1_000_000 === 0 ? digits.slice(0, 3) : digits}Z`;
}

/** Gives names to the numbers of a protobuf enum; a number that has none keeps its number: `UNKNOWN_<number>`. */
export function enumNames(values: object): (number: number) => string {
  const names = new Map(Object.entries(values).map(([name, number]) => [number as number, name]));
  return (number) => names.get(number) ?? `UNKNOWN_${number}`;
}

/** Fabric's own name of a transaction's kind, such as `ENDORSER_TRANSACTION`. */
export const headerTypeName = enumNames(common.HeaderType);

/** Fabric's own name of a transaction's validation code, such as `VALID`. */
export const validationCodeName = enumNames(transaction.TxValidationCode);

/** The common name in a certificate's subject; for what is no certificate or has none, the bytes as text or base64. */
export function certificateName(certificate: Uint8Array): string {
  return commonName(certificate) ?? textOrBase64(certificate);
}

function commonName(certificate: Uint8Array): string | undefined {
  try {
    const lines = new X509Certificate(certificate).subject.split('\n');
    return lines.findLast((line) => line.startsWith('CN='))?.slice('CN='.length);
  } catch {
    return undefined;
  }
}
