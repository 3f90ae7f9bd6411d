import { X509Certificate } from 'node:crypto';
import { textOrBase64 } from '../messages/text.js';

/** Returns the common name in a certificate's subject; for bytes without one, the bytes as text or base64. */
export function certificateName(certificate: Uint8Array): string {
  return nameIn(certificate) ?? textOrBase64(certificate);
}

/** Returns the last common name in the subject of a certificate; undefined if it has none. */
export function commonNameOf({ subject }: X509Certificate): string | undefined {
  const lines = subject.split('\n');
  return lines.findLast((line) => line.startsWith('CN='))?.slice('CN='.length);
}

function nameIn(certificate: Uint8Array): string | undefined {
  try {
    return commonNameOf(new X509Certificate(certificate));
  } catch {
    return undefined;
  }
}
