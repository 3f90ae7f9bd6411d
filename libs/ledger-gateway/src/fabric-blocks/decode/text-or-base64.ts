import { Buffer, isUtf8 } from 'node:buffer';

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
