import { join } from 'node:path';
import { isMap, parseDocument, stringify } from 'yaml';
import {
  ADVERTISED_HOST,
  CHAINCODE_TLS,
  LOOPBACK,
  type NetworkLayout,
  type NetworkPlan,
  ORDERER,
  PEER_ORGANIZATIONS,
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
export interface YamlValues {
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
