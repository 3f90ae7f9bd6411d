import { X509Certificate } from 'node:crypto';
import { textOrBase64 } from '../messages/text.js';

/** Returns the common name in a certificate's subject; for bytes without one, the bytes as text or base64. */
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
