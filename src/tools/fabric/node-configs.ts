import { join } from 'node:path';
import { isMap, parseDocument, stringify } from 'yaml';
import type { NetworkLayout } from './network-layout.js';
import {
  ADVERTISED_HOST,
  CA,
  CHAINCODE_TLS,
  ORDERER,
  PEER_ORGANISATIONS,
  type NetworkPlan,
  type PeerOrganisation,
} from './network-plan.js';
import { LOOPBACK } from './network-ports.js';

/**
 * orderer.yaml: the release's own with this network's addresses, identities and folders. Channels are joined through
 * the administration listener, which asks for a certificate of the orderer's organisation.
 * @param ordererYaml text of the release's orderer.yaml
 */
export function ordererConfig({ ports }: NetworkPlan, layout: NetworkLayout, ordererYaml: string): string {
  const { msp, tls } = layout.ordererIdentity;
  const key = join(tls, 'server.key');
  const certificate = join(tls, 'server.crt');
  const roots = [join(tls, 'ca.crt')];
  const data = join(layout.orderer, 'data');
  return setYaml(ordererYaml, {
    General: {
      ListenAddress: LOOPBACK,
      ListenPort: ports.orderer,
      TLS: { Enabled: true, PrivateKey: key, Certificate: certificate, RootCAs: roots },
      Cluster: { ClientCertificate: certificate, ClientPrivateKey: key },
      BootstrapMethod: 'none',
      LocalMSPDir: msp,
      LocalMSPID: ORDERER.mspId,
    },
    FileLedger: { Location: join(data, 'ledger') },
    Operations: { ListenAddress: `${LOOPBACK}:0` },
    Metrics: { Provider: 'disabled' },
    Admin: {
      ListenAddress: `${LOOPBACK}:${ports.ordererAdmin}`,
      TLS: {
        Enabled: true,
        PrivateKey: key,
        Certificate: certificate,
        ClientAuthRequired: true,
        ClientRootCAs: roots,
      },
    },
    ChannelParticipation: { Enabled: true },
    Consensus: { WALDir: join(data, 'wal'), SnapDir: join(data, 'snapshots') },
  });
}

/** What of the release a peer needs. */
export interface PeerRelease {
  /** Text of the release's core.yaml. */
  readonly coreYaml: string;
  /** Folder whose bin/ holds the builder for chaincode as a service. */
  readonly ccaasBuilder: string;
}

/** A port that the system chooses, for listeners that no client needs to find. */
const ANY_PORT = `${LOOPBACK}:0`;

/**
 * core.yaml of an organisation's peer: the release's own with this network's addresses, identities and folders.
 * Gossip intervals are short, so that discovery knows every peer within a second or two instead of ten.
 */
export function peerConfig(
  plan: NetworkPlan,
  layout: NetworkLayout,
  organisation: PeerOrganisation,
  release: PeerRelease,
): string {
  const port = plan.ports[organisation.port];
  const advertised = `${ADVERTISED_HOST}:${port}`;
  const { msp, tls } = layout.peerIdentity(organisation);
  const data = join(layout.peer(organisation), 'data');
  return setYaml(release.coreYaml, {
    peer: {
      id: organisation.peerHost,
      networkId: 'fabric-network',
      listenAddress: `${LOOPBACK}:${port}`,
      chaincodeListenAddress: ANY_PORT,
      address: advertised,
      gossip: {
        bootstrap: advertised,
        externalEndpoint: advertised,
        membershipTrackerInterval: '1s',
        pullInterval: '1s',
        requestStateInfoInterval: '1s',
        publishStateInfoInterval: '1s',
        aliveTimeInterval: '1s',
        aliveExpirationTimeout: '5s',
        reconnectInterval: '1s',
      },
      tls: {
        enabled: true,
        clientAuthRequired: false,
        cert: { file: join(tls, 'server.crt') },
        key: { file: join(tls, 'server.key') },
        rootcert: { file: join(tls, 'ca.crt') },
      },
      fileSystemPath: data,
      mspConfigPath: msp,
      localMspId: organisation.mspId,
      deliveryclient: { reConnectBackoffThreshold: '1s' },
    },
    vm: { endpoint: '' },
    chaincode: {
      externalBuilders: [
        {
          name: 'ccaas_builder',
          path: release.ccaasBuilder,
          propagateEnvironment: ['CHAINCODE_AS_A_SERVICE_BUILDER_CONFIG'],
        },
      ],
    },
    ledger: { snapshots: { rootDir: join(data, 'snapshots') } },
    operations: { listenAddress: ANY_PORT },
    metrics: { provider: 'disabled' },
  });
}

/**
 * Configuration of Org1's Fabric CA. It signs with Org1's own root, so that the peers take the identities it issues;
 * its TLS certificate it issues itself at first start.
 */
export function caConfig({ ports }: NetworkPlan, layout: NetworkLayout, registrarSecret: string): string {
  return stringify({
    address: LOOPBACK,
    port: ports.ca,
    tls: { enabled: true },
    ca: { name: CA.host, certfile: layout.caIdentity.cert, keyfile: layout.caIdentity.key },
    registry: {
      maxenrollments: -1,
      identities: [
        {
          name: CA.registrar,
          pass: registrarSecret,
          type: 'client',
          affiliation: '',
          attrs: {
            'hf.Registrar.Roles': '*',
            'hf.Registrar.DelegateRoles': '*',
            'hf.Registrar.Attributes': '*',
            'hf.Revoker': true,
            'hf.GenCRL': true,
            'hf.IntermediateCA': false,
            'hf.AffiliationMgr': true,
          },
        },
      ],
    },
    db: { type: 'sqlite3', datasource: 'fabric-ca-server.db' },
    affiliations: { org1: ['department1', 'department2'] },
    signing: {
      default: { usage: ['digital signature'], expiry: '8760h' },
      profiles: {
        tls: {
          usage: ['signing', 'key encipherment', 'server auth', 'client auth', 'key agreement'],
          expiry: '8760h',
        },
      },
    },
    csr: { cn: CA.host, keyrequest: { algo: 'ecdsa', size: 256 }, hosts: [ADVERTISED_HOST, LOOPBACK, CA.host] },
    operations: { listenAddress: `${LOOPBACK}:0` },
    metrics: { provider: 'disabled' },
  });
}

/** What cryptogen makes: one orderer, one peer an organisation with a user, and the chaincode's TLS identities. */
export function cryptoConfig(): string {
  const SANS = [ADVERTISED_HOST, LOOPBACK];
  return stringify({
    OrdererOrgs: [
      {
        Name: 'Orderer',
        Domain: ORDERER.domain,
        EnableNodeOUs: true,
        Specs: [{ Hostname: 'orderer', SANS }],
      },
    ],
    PeerOrgs: [
      ...PEER_ORGANISATIONS.map(({ name, domain }) => ({
        Name: name,
        Domain: domain,
        EnableNodeOUs: true,
        Specs: [{ Hostname: 'peer0', SANS }],
        Users: { Count: 1 },
      })),
      {
        Name: 'Chaincode',
        Domain: CHAINCODE_TLS.domain,
        EnableNodeOUs: true,
        Specs: [{ Hostname: 'service', SANS }],
        Users: { Count: 0 },
      },
    ],
  });
}

/** Values for keys of a YAML document; an object names keys below, anything else is the value. */
export interface YamlValues {
  readonly [key: string]: YamlValues | string | number | boolean | readonly object[] | readonly string[];
}

/** The text with those keys set, everything else and all comments as they were. */
export function setYaml(text: string, values: YamlValues): string {
  const document = parseDocument(text);
  const set = (path: readonly string[], below: YamlValues): void => {
    for (const [key, value] of Object.entries(below)) {
      const at = [...path, key];
      if (typeof value !== 'object' || Array.isArray(value)) {
        document.setIn(at, value);
      } else {
        // A key without a value holds null, which nothing can be set below.
        if (!isMap(document.getIn(at))) document.setIn(at, document.createNode({}));
        set(at, value as YamlValues);
      }
    }
  };
  set([], values);
  return document.toString();
}
