import { X509Certificate } from 'node:crypto';
import { textOrBase64 } from './text-or-base64.js';

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
