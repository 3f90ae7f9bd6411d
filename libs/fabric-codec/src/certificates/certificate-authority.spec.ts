import { describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { isLowS } from '../encode/low-s.js';
import { createRoot, issueLeaf, loadX509 } from './certificate-authority.js';

describe('an issued certificate', () => {
  it('is signed by its root, with a low S value', async () => {
    const x509 = await loadX509();
    const root = await createRoot('org1.example.com');
    const { publicKey } = new X509Certificate(root.certificate);
    // Every other signature has a high S value before it is changed.
    for (let n = 0; n < 12; n++) {
      const { certificate } = await issueLeaf(root, { commonName: `user-${n}`, role: 'client' });
      expect(new X509Certificate(certificate).verify(publicKey)).toBe(true);
      expect(isLowS(Buffer.from(new x509.X509Certificate(certificate).signature))).toBe(true);
    }
  });
});
