import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DOCUMENTS_COLLECTION } from '#records-contract';
import { isMap, parseDocument, stringify } from 'yaml';
import {
  ADVERTISED_HOST,
  CA,
  CHAINCODE_TLS,
  channelsOf,
  LOOPBACK,
  ORDERER,
  ORG1,
  ORG2,
  PEER_ORGANIZATIONS,
  type NetworkLayout,
  type NetworkPlan,
  type PeerOrganization,
} from './network-plan.js';

/** A port that the system chooses, for listeners that no client needs to find. */
const ANY_PORT = `${LOOPBACK}:0`;

/**
 * Returns orderer.yaml: the release's file with this network's addresses, identities and folders. Channels are joined
 * through the administration listener, which requires a certificate of the orderer's organization.
 * @param ordererYaml - text of the release's orderer.yaml
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
    Operations: { ListenAddress: ANY_PORT },
    Metrics: { Provider: 'disabled' },
    Admin: {
      ListenAddress: `${LOOPBACK}:${ports.ordererAdmin}`,
      TLS: { Enabled: true, PrivateKey: key, Certificate: certificate, ClientAuthRequired: true, ClientRootCAs: roots },
    },
    ChannelParticipation: { Enabled: true },
    Consensus: { WALDir: join(data, 'wal'), SnapDir: join(data, 'snapshots') },
  });
}

/**
 * Returns the private collections of the contract of records, with the documents outside the blocks. Both peers endorse each write, and
 * so both have the documents before it is ordered: none needs to be sent to the other one first.
 */
export function recordsCollections(): string {
  const members = PEER_ORGANIZATIONS.map(({ mspId }) => `'${mspId}.member'`);
  const documents = {
    name: DOCUMENTS_COLLECTION,
    policy: `OR(${members.join(', ')})`,
    requiredPeerCount: 0,
    maxPeerCount: 1,
    blockToLive: 0,
    memberOnlyRead: true,
    memberOnlyWrite: true,
  };
  return `${JSON.stringify([documents], undefined, 2)}\n`;
}

/**
 * Returns core.yaml of an organization's peer: the release's file with this network's addresses, identities and
 * folders. Gossip intervals are short, so that discovery knows every peer within a second or two instead of ten.
 * @param coreYaml - text of the release's core.yaml
 */
export function peerConfig(
  { ports }: NetworkPlan,
  layout: NetworkLayout,
  organization: PeerOrganization,
  { coreYaml, ccaasBuilder }: { readonly coreYaml: string; readonly ccaasBuilder: string },
): string {
  const port = ports[organization.port];
  const advertised = `${ADVERTISED_HOST}:${port}`;
  const { msp, tls } = layout.peerIdentity(organization);
  const data = join(layout.peer(organization), 'data');
  const propagateEnvironment = ['CHAINCODE_AS_A_SERVICE_BUILDER_CONFIG'];
  return setYaml(coreYaml, {
    peer: {
      id: organization.peerHost,
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
      localMspId: organization.mspId,
      deliveryclient: { reConnectBackoffThreshold: '1s' },
    },
    vm: { endpoint: '' },
    chaincode: { externalBuilders: [{ name: 'ccaas_builder', path: ccaasBuilder, propagateEnvironment }] },
    ledger: { snapshots: { rootDir: join(data, 'snapshots') } },
    operations: { listenAddress: ANY_PORT },
    metrics: { provider: 'disabled' },
  });
}

/** Returns the configuration of cryptogen: an orderer, a peer and a user per organization, the chaincode's TLS. */
export function cryptoConfig(): string {
  const organizationOf = (Name: string, Domain: string, Hostname: string, users?: number): object => ({
    Name,
    Domain,
    EnableNodeOUs: true,
    Specs: [{ Hostname, SANS: [ADVERTISED_HOST, LOOPBACK] }],
    ...(users !== undefined && { Users: { Count: users } }),
  });
  return toYaml({
    OrdererOrgs: [organizationOf('Orderer', ORDERER.domain, 'orderer')],
    PeerOrgs: [
      ...PEER_ORGANIZATIONS.map(({ name, domain }) => organizationOf(name, domain, 'peer0', 1)),
      organizationOf('Chaincode', CHAINCODE_TLS.domain, 'service', 0),
    ],
  });
}

/** Name of the profile in configtx.yaml. */
export const CHANNEL_PROFILE = 'Channel';

/**
 * Returns configtx.yaml of a channel with one Raft orderer and two peer organizations. A transaction needs the
 * endorsement of the majority of them, which is both. Capabilities are those that Fabric 2.5 and 3 share.
 */
export function channelConfig(plan: NetworkPlan, layout: NetworkLayout): string {
  const capabilities = { V2_0: true };
  const majority = implicit('MAJORITY Endorsement');
  return toYaml({
    Profiles: {
      [CHANNEL_PROFILE]: {
        Policies: GROUP_POLICIES,
        Capabilities: capabilities,
        Orderer: {
          ...ordererGroup(plan, layout),
          Policies: { ...GROUP_POLICIES, BlockValidation: implicit('ANY Writers') },
          Capabilities: capabilities,
        },
        Application: {
          Organizations: PEER_ORGANIZATIONS.map(({ mspId, domain, port }) => ({
            Name: mspId,
            ID: mspId,
            MSPDir: join(layout.organization({ domain }), 'msp'),
            Policies: {
              Readers: signature(`OR('${mspId}.admin', '${mspId}.peer', '${mspId}.client')`),
              Writers: signature(`OR('${mspId}.admin', '${mspId}.client')`),
              Admins: signature(`OR('${mspId}.admin')`),
              Endorsement: signature(`OR('${mspId}.peer')`),
            },
            AnchorPeers: [{ Host: ADVERTISED_HOST, Port: plan.ports[port] }],
          })),
          Policies: { ...GROUP_POLICIES, LifecycleEndorsement: majority, Endorsement: majority },
          Capabilities: { V2_5: true },
        },
      },
    },
  });
}

function ordererGroup({ ports, batchTimeout, batchSize }: NetworkPlan, layout: NetworkLayout): object {
  const { mspId } = ORDERER;
  const certificate = join(layout.ordererIdentity.tls, 'server.crt');
  const endpoints = [`${ADVERTISED_HOST}:${ports.orderer}`];
  const members = signature(`OR('${mspId}.member')`);
  return {
    OrdererType: 'etcdraft',
    Addresses: endpoints,
    BatchTimeout: batchTimeout,
    BatchSize: { MaxMessageCount: batchSize, AbsoluteMaxBytes: '99 MB', PreferredMaxBytes: '2 MB' },
    EtcdRaft: {
      Consenters: [
        { Host: ADVERTISED_HOST, Port: ports.orderer, ClientTLSCert: certificate, ServerTLSCert: certificate },
      ],
      // A lone orderer that restarts elects itself after ElectionTick ticks: one second here, five by default.
      Options: {
        TickInterval: '100ms',
        ElectionTick: 10,
        HeartbeatTick: 1,
        MaxInflightBlocks: 5,
        SnapshotIntervalSize: '16 MB',
      },
    },
    Organizations: [
      {
        Name: mspId,
        ID: mspId,
        MSPDir: join(layout.ordererOrganization, 'msp'),
        Policies: { Readers: members, Writers: members, Admins: signature(`OR('${mspId}.admin')`) },
        OrdererEndpoints: endpoints,
      },
    ],
  };
}

const GROUP_POLICIES = {
  Readers: implicit('ANY Readers'),
  Writers: implicit('ANY Writers'),
  Admins: implicit('MAJORITY Admins'),
};

function signature(rule: string): object {
  return { Type: 'Signature', Rule: rule };
}

function implicit(rule: string): object {
  return { Type: 'ImplicitMeta', Rule: rule };
}

function toYaml(value: object): string {
  return stringify(value, { aliasDuplicateObjects: false });
}

/** Values for keys of a YAML document; an object contains keys of the next level. */
interface YamlValues {
  readonly [key: string]: YamlValues | string | number | boolean | readonly object[] | readonly string[];
}

/** Returns the text with those keys set; everything else, comments included, stays. */
export function setYaml(text: string, values: YamlValues): string {
  const document = parseDocument(text);
  const set = (path: readonly string[], below: YamlValues): void => {
    for (const [key, value] of Object.entries(below)) {
      const at = [...path, key];
      if (typeof value !== 'object' || Array.isArray(value)) {
        document.setIn(at, value);
      } else {
        // A key without a value holds null, below which nothing can be set.
        if (!isMap(document.getIn(at))) document.setIn(at, document.createNode({}));
        set(at, value as YamlValues);
      }
    }
  };
  set([], values);
  return document.toString();
}

/** Writes a file that only its owner can read: most files of a network are about keys. */
export function write(file: string, text: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}

/** Writes the files for clients: connection profiles, a wallet, PEM files and an environment for ledger-api. */
export function writeClientFiles(plan: NetworkPlan, layout: NetworkLayout): void {
  const roots = {
    orderer: readFileSync(layout.ordererTlsRoot, 'utf8'),
    Org1: readFileSync(layout.tlsRoot(ORG1), 'utf8'),
    Org2: readFileSync(layout.tlsRoot(ORG2), 'utf8'),
    ...(plan.ca && { ca: readFileSync(layout.caIdentity.cert, 'utf8') }),
  };
  for (const organization of PEER_ORGANIZATIONS) {
    write(layout.connectionProfile(organization), connectionProfile(plan, organization, roots));
  }
  for (const user of ['User1', 'Admin'] as const) {
    const { msp } = layout.user(ORG1, user);
    const certificate = onlyFileIn(join(msp, 'signcerts'));
    const privateKey = onlyFileIn(join(msp, 'keystore'));
    // As in fabric-network's file-system wallet.
    const identity = { credentials: { certificate, privateKey }, mspId: ORG1.mspId, type: 'X.509', version: 1 };
    write(join(layout.wallet, `${user}.id`), JSON.stringify(identity));
    write(join(layout.pem, `${user}.cert.pem`), certificate);
    write(join(layout.pem, `${user}.key.pem`), privateKey);
  }
  write(join(layout.pem, 'tls-root.pem'), roots.Org1);
  write(layout.environment, environmentFile(plan, layout));
}

function onlyFileIn(folder: string): string {
  const [name = ''] = readdirSync(folder);
  return readFileSync(join(folder, name), 'utf8');
}

/** PEM texts of the roots of the TLS certificates; `ca` is absent if the network has none. */
type TlsRoots = Readonly<Record<'orderer' | 'Org1' | 'Org2', string>> & { readonly ca?: string };

/**
 * Returns the common connection profile of an organization, for fabric-network and fabric-ca-client. It names every
 * node, so that it works with discovery and without.
 */
export function connectionProfile(plan: NetworkPlan, own: PeerOrganization, roots: TlsRoots): string {
  const { channel, ports } = plan;
  const node = (host: string, port: number, pem: string): object => ({
    url: `grpcs://${ADVERTISED_HOST}:${port}`,
    tlsCACerts: { pem },
    grpcOptions: { 'ssl-target-name-override': host, hostnameOverride: host },
  });
  const ca = {
    url: `https://${ADVERTISED_HOST}:${ports.ca}`,
    caName: CA.host,
    tlsCACerts: { pem: [roots.ca] },
    httpOptions: { verify: true },
  };
  const peersTo = <T>(valueOf: (organization: PeerOrganization) => T): Record<string, T> =>
    Object.fromEntries(PEER_ORGANIZATIONS.map((each) => [each.peerHost, valueOf(each)]));
  const organizations = PEER_ORGANIZATIONS.map((organization) => {
    const { name, mspId: mspid, peerHost } = organization;
    const hasCa = roots.ca !== undefined && organization === ORG1;
    return [name, { mspid, peers: [peerHost], ...(hasCa && { certificateAuthorities: [CA.host] }) }] as const;
  });
  const profile = {
    name: `${channel}-${own.name.toLowerCase()}`,
    version: '1.0.0',
    client: { organization: own.name, connection: { timeout: { peer: { endorser: '30' }, orderer: '30' } } },
    channels: Object.fromEntries(
      channelsOf(plan).map((name) => [name, { orderers: [ORDERER.host], peers: peersTo(() => ({})) }]),
    ),
    organizations: Object.fromEntries(organizations),
    orderers: { [ORDERER.host]: node(ORDERER.host, ports.orderer, roots.orderer) },
    peers: peersTo(({ name, peerHost, port }) => node(peerHost, ports[port], roots[name])),
    ...(roots.ca !== undefined && { certificateAuthorities: { [CA.host]: ca } }),
  };
  return `${JSON.stringify(profile, undefined, 2)}\n`;
}

/** Returns the environment that connects ledger-api to the network with either driver: only LEDGER_DRIVER decides. */
export function environmentFile(plan: NetworkPlan, layout: NetworkLayout): string {
  const variables: Readonly<Record<string, string>> = {
    LEDGER_DRIVER: 'fabric-gateway',
    LEDGER_CHANNEL: plan.channel,
    ...(plan.otherChannels && { LEDGER_CHANNELS: plan.otherChannels.join(',') }),
    LEDGER_CHAINCODE: plan.chaincode.name,
    LEDGER_MSP_ID: ORG1.mspId,
    FABRIC_PEER_ENDPOINTS: `${ADVERTISED_HOST}:${plan.ports.peerOrg1}`,
    FABRIC_PEER_HOST_ALIAS: ORG1.peerHost,
    FABRIC_TLS_ROOT_CERT: join(layout.pem, 'tls-root.pem'),
    FABRIC_CERT: join(layout.pem, 'User1.cert.pem'),
    FABRIC_KEY: join(layout.pem, 'User1.key.pem'),
    FABRIC_CONNECTION_PROFILE: layout.connectionProfile(ORG1),
    FABRIC_WALLET_DIR: layout.wallet,
    FABRIC_IDENTITY: 'User1',
    FABRIC_DISCOVERY_AS_LOCALHOST: 'true',
    ...(plan.ca && { FABRIC_CA_NAME: CA.host }),
  };
  // Paths may contain spaces.
  const quoted = (value: string): string => (/^[\w./:,-]+$/.test(value) ? value : `"${value}"`);
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`);
  return `# Points ledger-api at this network as User1 of Org1; LEDGER_DRIVER may also be fabric.\n${lines.join('\n')}\n`;
}
