import { generateKeyPairSync, randomBytes, verify, type KeyPairKeyObjectResult } from 'node:crypto';
import { createRoot, issueLeaf } from '#fabric-codec/certificates';
import { isTaken, issueForKey } from '../testing/stand-in-identities.js';
import { signingIdentity, type KeyKind } from './signing-identity.js';

describe('an identity that signs', () => {
  const issue = async (commonName: string) =>
    issueLeaf(await createRoot('org1.example.com'), { commonName, role: 'client' });
  const material = (certificates: string[], privateKeys: string[]) => ({
    mspId: 'Org1MSP',
    certificates,
    privateKeys,
    origin: 'cert.pem and key.pem',
  });

  it('is the pair among the keys of several enrolments', async () => {
    const [old, current] = await Promise.all([issue('User1'), issue('User1')]);
    const found = signingIdentity(material([current.certificate], [old.privateKey, current.privateKey]));
    expect(found.description).toMatch(/^User1 of Org1MSP \(valid until \d{4}-\d\d-\d\dT.*Z\)$/);
    expect(found.privateKey).toBe(current.privateKey);
  });

  it('is refused, naming the files and never the key, when there is no pair or no PEM', async () => {
    const [one, other] = await Promise.all([issue('one'), issue('other')]);
    const refusals = [
      material([one.certificate], [other.privateKey]),
      material([], [one.privateKey]),
      material(['no certificate'], [one.privateKey]),
      material([one.certificate], ['no key']),
    ];
    for (const refused of refusals) {
      expect(() => signingIdentity(refused)).toThrow(/cert\.pem and key\.pem/);
      expect(() => signingIdentity(refused)).not.toThrow(/BEGIN/);
    }
  });

  const keyPairs: Readonly<Record<KeyKind, () => KeyPairKeyObjectResult>> = {
    'P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    Ed25519: () => generateKeyPairSync('ed25519'),
  };

  it.each(Object.keys(keyPairs) as KeyKind[])(
    'signs with a key of the kind %s as Fabric checks it',
    async (keyKind) => {
      const keys = keyPairs[keyKind]();
      const issued = await issueForKey(await createRoot('org1.example.com'), 'User1', keys);
      const identity = signingIdentity(material([issued.certificate], [issued.privateKey]));
      expect(identity).toMatchObject({ keyKind, commonName: 'User1' });
      for (let length = 0; length < 300; length++) {
        const message = randomBytes(length);
        const signature = identity.sign(message);
        expect(verify(keyKind === 'Ed25519' ? null : 'sha256', message, keys.publicKey, signature)).toBe(true);
        expect(isTaken(signature, keys.publicKey)).toBe(true);
      }
    },
  );

  it.each([
    ['secp256k1', generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
    ['rsa', generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ])('is refused with a key of the kind %s, which Fabric does not accept', async (kind, keys) => {
    const { certificate, privateKey } = await issueForKey(await createRoot('org1.example.com'), 'User1', keys);
    expect(() => signingIdentity(material([certificate], [privateKey]))).toThrow(
      `Fabric supports no keys of the kind ${kind}, as in cert.pem and key.pem`,
    );
  });
});
