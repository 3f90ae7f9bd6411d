import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chaincodesOf, layoutOf, ORG2 } from './network-plan.js';
import { channelConfig, cryptoConfig, ordererConfig, peerConfig, setYaml, write } from './network-files.js';
import { examplePlan } from './testing/example-plan.js';
import { chaincodeEnvironment } from './up.js';

const plan = examplePlan();
const layout = layoutOf('/net');

describe('setYaml', () => {
  it('sets what is there, what is not, and what has no value, and keeps all else', () => {
    const text = '# about\na:\n  b: 1 # one\n  c: 2\nempty:\nlist:\n  - x\n';
    const changed = setYaml(text, { a: { b: 7 }, empty: { file: 'f' }, list: ['y'], new: { deep: { er: true } } });
    expect(parse(changed)).toEqual({
      a: { b: 7, c: 2 },
      empty: { file: 'f' },
      list: ['y'],
      new: { deep: { er: true } },
    });
    expect(changed).toContain('# about');
    expect(changed).toContain('# one');
  });
});

describe('peerConfig', () => {
  const coreYaml =
    'peer:\n  tls:\n    enabled: false\n    clientCert:\n  limits: {concurrency: {gatewayService: 500}}\nledger:\n';
  const release = { coreYaml, ccaasBuilder: '/release/builders/ccaas' };
  const config = parse(peerConfig(plan, layout, ORG2, release)) as {
    peer: Record<string, unknown>;
    chaincode: { externalBuilders: object[] };
    ledger: object;
  };

  it('listens on loopback and advertises localhost', () => {
    expect(config.peer).toMatchObject({
      id: 'peer0.org2.example.com',
      listenAddress: '127.0.0.1:7055',
      chaincodeListenAddress: '127.0.0.1:0',
      address: 'localhost:7055',
      gossip: { bootstrap: 'localhost:7055', externalEndpoint: 'localhost:7055' },
      localMspId: 'Org2MSP',
      fileSystemPath: '/net/peers/org2/data',
    });
  });

  it('turns TLS on with its own certificate, and keeps the rest of the release’s file', () => {
    const tls = '/net/organizations/peerOrganizations/org2.example.com/peers/peer0.org2.example.com/tls';
    expect(config.peer).toMatchObject({
      tls: {
        enabled: true,
        cert: { file: `${tls}/server.crt` },
        key: { file: `${tls}/server.key` },
        rootcert: { file: `${tls}/ca.crt` },
      },
      limits: { concurrency: { gatewayService: 500 } },
    });
  });

  it('builds chaincode as a service only, and keeps its data in its folder', () => {
    expect(config.chaincode.externalBuilders).toMatchObject([
      { name: 'ccaas_builder', path: '/release/builders/ccaas' },
    ]);
    expect(config.ledger).toEqual({ snapshots: { rootDir: '/net/peers/org2/data/snapshots' } });
  });
});

describe('ordererConfig', () => {
  it('joins channels through the administration listener, which asks for a certificate', () => {
    const config = parse(ordererConfig(plan, layout, 'General:\n  Keepalive: {ServerInterval: 7200s}\n')) as object;
    expect(config).toMatchObject({
      General: {
        ListenAddress: '127.0.0.1',
        ListenPort: 7050,
        BootstrapMethod: 'none',
        LocalMSPID: 'OrdererMSP',
        TLS: { Enabled: true },
        Keepalive: { ServerInterval: '7200s' },
      },
      Admin: { ListenAddress: '127.0.0.1:7053', TLS: { Enabled: true, ClientAuthRequired: true } },
      ChannelParticipation: { Enabled: true },
      Consensus: { WALDir: '/net/orderer/data/wal' },
    });
  });
});

describe('channelConfig', () => {
  it('cuts blocks as planned, wants both organisations and names both as anchors', () => {
    const config = parse(channelConfig({ ...plan, batchTimeout: '2s', batchSize: 7 }, layout)) as {
      Profiles: { Channel: { Orderer: object; Application: object } };
    };
    const { Orderer, Application } = config.Profiles.Channel;
    expect(Orderer).toMatchObject({
      OrdererType: 'etcdraft',
      BatchTimeout: '2s',
      BatchSize: { MaxMessageCount: 7 },
      EtcdRaft: { Consenters: [{ Host: 'localhost', Port: 7050 }] },
      Capabilities: { V2_0: true },
    });
    expect(Application).toMatchObject({
      Organizations: [
        { ID: 'Org1MSP', AnchorPeers: [{ Host: 'localhost', Port: 7051 }] },
        { ID: 'Org2MSP', AnchorPeers: [{ Host: 'localhost', Port: 7055 }] },
      ],
      Policies: {
        Endorsement: { Type: 'ImplicitMeta', Rule: 'MAJORITY Endorsement' },
        LifecycleEndorsement: { Type: 'ImplicitMeta', Rule: 'MAJORITY Endorsement' },
      },
      Capabilities: { V2_5: true },
    });
  });
});

describe('cryptoConfig', () => {
  it('makes every certificate valid for localhost', () => {
    const { OrdererOrgs, PeerOrgs } = parse(cryptoConfig()) as Record<string, { Domain: string; Specs: object[] }[]>;
    const organisations = [...(OrdererOrgs ?? []), ...(PeerOrgs ?? [])];
    expect(organisations.map(({ Domain }) => Domain)).toEqual([
      'example.com',
      'org1.example.com',
      'org2.example.com',
      'chaincode.example.com',
    ]);
    for (const { Specs } of organisations) {
      expect(Specs).toMatchObject([{ SANS: ['localhost', '127.0.0.1'] }]);
    }
  });
});

describe('chaincodeEnvironment', () => {
  it('passes a chaincode its id, its address and its TLS files', () => {
    const [basic, records] = chaincodesOf(plan);
    expect(chaincodeEnvironment(basic!, { plan, layout })).toEqual({
      CHAINCODE_ID: expect.stringMatching(/^basic_1\.0:[0-9a-f]{64}$/) as string,
      CHAINCODE_SERVER_ADDRESS: '127.0.0.1:7052',
      CORE_CHAINCODE_LOGGING_LEVEL: 'WARNING',
      CHAINCODE_TLS_DISABLED: 'true',
    });
    expect(chaincodeEnvironment(records!, { plan, layout })).toMatchObject({
      CHAINCODE_ID: expect.stringMatching(/^records_1\.0:[0-9a-f]{64}$/) as string,
      CHAINCODE_SERVER_ADDRESS: '127.0.0.1:7056',
    });
    const directory = mkdtempSync(join(tmpdir(), 'chaincode-tls-'));
    const base = `${directory}/organizations/peerOrganizations/chaincode.example.com`;
    const withTls = { plan, layout: layoutOf(directory) };
    for (const file of Object.values(withTls.layout.chaincodeTls)) write(file, 'a PEM file');
    expect(chaincodeEnvironment({ part: 'chaincode', plan: { ...plan.chaincode, tls: true } }, withTls)).toMatchObject({
      CHAINCODE_TLS_DISABLED: 'false',
      CHAINCODE_TLS_KEY: `${base}/peers/service.chaincode.example.com/tls/server.key`,
      CHAINCODE_TLS_CERT: `${base}/peers/service.chaincode.example.com/tls/server.crt`,
      CHAINCODE_CLIENT_CA_CERT: `${base}/tlsca/tlsca.chaincode.example.com-cert.pem`,
    });
    rmSync(directory, { recursive: true });
  });
});
