import { parseEnv } from 'node:util';
import { connectionProfile, environmentFile } from './network-files.js';
import { layoutOf, ORG1, ORG2 } from './network-plan.js';
import { examplePlan } from './testing/example-plan.js';

const plan = examplePlan();
const roots = { orderer: 'orderer root', Org1: 'root 1', Org2: 'root 2', ca: 'ca root' };

interface Profile {
  readonly client: { readonly organization: string };
  readonly channels: Record<string, { readonly peers: object; readonly orderers: string[] }>;
  readonly organizations: Record<string, { mspid: string; peers: string[]; certificateAuthorities?: string[] }>;
  readonly peers: Record<string, { url: string; tlsCACerts: { pem: string }; grpcOptions: object }>;
  readonly orderers: Record<string, { url: string }>;
  readonly certificateAuthorities?: Record<string, { url: string; caName: string; tlsCACerts: object }>;
}

describe('connectionProfile', () => {
  const profile = JSON.parse(connectionProfile(plan, ORG2, roots)) as Profile;

  it('names every node with its root and the name in its certificate', () => {
    expect(profile.client.organization).toBe('Org2');
    expect(profile.peers['peer0.org2.example.com']).toEqual({
      url: 'grpcs://localhost:7055',
      tlsCACerts: { pem: 'root 2' },
      grpcOptions: {
        'ssl-target-name-override': 'peer0.org2.example.com',
        hostnameOverride: 'peer0.org2.example.com',
      },
    });
    expect(profile.peers['peer0.org1.example.com']?.tlsCACerts.pem).toBe('root 1');
    expect(profile.orderers['orderer.example.com']?.url).toBe('grpcs://localhost:7050');
    expect(profile.channels['mychannel']?.orderers).toEqual(['orderer.example.com']);
  });

  it('names every node that it speaks of elsewhere', () => {
    for (const { peers, certificateAuthorities = [] } of Object.values(profile.organizations)) {
      for (const name of peers) expect(profile.peers).toHaveProperty([name]);
      for (const name of certificateAuthorities) expect(profile.certificateAuthorities).toHaveProperty([name]);
    }
    for (const name of Object.keys(profile.channels['mychannel']?.peers ?? {})) {
      expect(profile.peers).toHaveProperty([name]);
    }
  });

  it('assigns the CA to Org1, if there is one', () => {
    expect(profile.organizations['Org1']?.certificateAuthorities).toEqual(['ca.org1.example.com']);
    expect(profile.certificateAuthorities?.['ca.org1.example.com']).toMatchObject({
      url: 'https://localhost:7054',
      caName: 'ca.org1.example.com',
      tlsCACerts: { pem: ['ca root'] },
    });
    const { orderer, Org1, Org2 } = roots;
    const without = JSON.parse(connectionProfile(plan, ORG1, { orderer, Org1, Org2 })) as Profile;
    expect(without.certificateAuthorities).toBeUndefined();
    expect(without.organizations['Org1']).not.toHaveProperty('certificateAuthorities');
  });
});

describe('environmentFile', () => {
  it('is read as it was meant, whatever is in the path', () => {
    for (const directory of ['/net', '/my nets/#1']) {
      const variables = parseEnv(environmentFile(examplePlan({ directory }), layoutOf(directory)));
      expect(variables).toMatchObject({
        LEDGER_DRIVER: 'fabric-gateway',
        LEDGER_MSP_ID: 'Org1MSP',
        FABRIC_PEER_ENDPOINTS: 'localhost:7051',
        FABRIC_CERT: `${directory}/pem/User1.cert.pem`,
        FABRIC_CONNECTION_PROFILE: `${directory}/connection-org1.json`,
        FABRIC_CA_NAME: 'ca.org1.example.com',
      });
    }
  });

  it('names no CA where there is none', () => {
    expect(environmentFile(examplePlan({ ca: false }), layoutOf('/net'))).not.toContain('FABRIC_CA_NAME');
  });
});
