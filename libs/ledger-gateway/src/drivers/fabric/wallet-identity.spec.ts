import { generateKeyPairSync } from 'node:crypto';
import {
  createOrganisation,
  STAND_IN_MSP,
  type StandInSigner,
} from '../../testing/fabric-stand-in/stand-in-identities.js';
import { walletIdentityFile } from './wallet-identity.js';

describe('an identity of a wallet', () => {
  const entry = ({ certificate, privateKey }: StandInSigner, facts: object = {}): string =>
    JSON.stringify({
      credentials: { certificate, privateKey },
      mspId: STAND_IN_MSP,
      type: 'X.509',
      version: 1,
      ...facts,
    });
  const parse = (text: string, mspId?: string) => walletIdentityFile('wallet', 'User1', mspId).parse([[text]]);

  it('is of any organisation, or of the one that is required', async () => {
    const { client } = await createOrganisation();
    expect(parse(entry(client))).toMatchObject({ mspId: STAND_IN_MSP, commonName: 'User1@org1.example.com' });
    expect(parse(entry(client), STAND_IN_MSP)).toMatchObject({ mspId: STAND_IN_MSP });
    expect(() => parse(entry(client), 'Org2MSP')).toThrow(
      'The identity in wallet/User1.id belongs to Org1MSP, and LEDGER_MSP_ID is Org2MSP',
    );
  });

  it('is refused when it is not X.509, not JSON, or of a kind that the SDK cannot read', async () => {
    const organisation = await createOrganisation();
    const ed25519 = await organisation.issueClient('User1@org1.example.com', generateKeyPairSync('ed25519'));
    expect(() => parse(entry(organisation.client, { type: 'HSM-X.509' }))).toThrow('is no X.509 identity of a wallet');
    expect(() => parse(entry(organisation.client, { credentials: null }))).toThrow('is no X.509 identity of a wallet');
    expect(() => parse('null')).toThrow('is no X.509 identity of a wallet');
    expect(() => parse('{')).toThrow('is not JSON');
    expect(() => parse(entry(ed25519))).toThrow('fabric-network knows no Ed25519 keys');
  });
});
