import { generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { isLowS } from '../fabric-blocks/encode/low-s.js';
import { signNatively, signsNatively } from './native-signature.js';

describe('a signature by OpenSSL', () => {
  it('is good, and always the one of two that Fabric takes', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (let n = 0; n < 200; n++) {
      const message = randomBytes(n);
      const signature = signNatively(message, privateKey);
      expect(isLowS(signature)).toBe(true);
      expect(verify('sha256', message, publicKey, signature)).toBe(true);
    }
  });

  it('is made with keys on P-256 only', () => {
    const keys = [
      generateKeyPairSync('ec', { namedCurve: 'P-256' }),
      generateKeyPairSync('ec', { namedCurve: 'P-384' }),
      generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
      generateKeyPairSync('ed25519'),
    ];
    expect(keys.map(({ privateKey }) => signsNatively(privateKey))).toEqual([true, false, false, false]);
  });
});
