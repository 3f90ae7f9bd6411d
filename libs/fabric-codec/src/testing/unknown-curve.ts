import { Buffer } from 'node:buffer';
import { sign, type X509Certificate } from 'node:crypto';

/** The certificate, signed again by the root, with the number of an undefined curve instead of P-256's. */
export function onUnknownCurve({ raw }: X509Certificate, rootKey: string): string {
  // SEQUENCE { tbsCertificate SEQUENCE { … }, signatureAlgorithm SEQUENCE { … }, signature BIT STRING }, RFC 5280, 4.1.
  const signed = Buffer.from(raw.subarray(4, 8 + raw.readUInt16BE(6)));
  const algorithm = raw.subarray(4 + signed.length, 4 + signed.length + 2 + raw.readUInt8(5 + signed.length));
  const p256 = Buffer.from('06082a8648ce3d030107', 'hex');
  signed.writeUInt8(0x7f, signed.lastIndexOf(p256) + p256.length - 1);
  const signature = sign('sha256', signed, rootKey);
  const bits = Buffer.concat([Buffer.from([0x03, signature.length + 1, 0]), signature]);
  const content = Buffer.concat([signed, algorithm, bits]);
  const length = Buffer.from([0x30, 0x82, content.length >> 8, content.length & 0xff]);
  return `-----BEGIN CERTIFICATE-----\n${Buffer.concat([length, content]).toString('base64')}\n-----END CERTIFICATE-----\n`;
}
