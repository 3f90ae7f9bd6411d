import { createRoot, issueLeaf } from '../drivers/embedded/identities/certificate-authority.js';
import { signingIdentity } from './signing-identity.js';

describe('an identity that signs', () => {
  const issue = async (commonName: string) =>
    issueLeaf(await createRoot('org1.example.com'), { domain: 'org1.example.com', commonName, role: 'client' });
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
    expect(found.privateKey.export({ type: 'pkcs8', format: 'pem' })).toBe(current.privateKey);
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
});
