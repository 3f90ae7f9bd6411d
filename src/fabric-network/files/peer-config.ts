import { join } from 'node:path';
import type { NetworkLayout } from '../plan/network-layout.js';
import { ADVERTISED_HOST, type NetworkPlan, type PeerOrganisation } from '../plan/network-plan.js';
import { LOOPBACK } from '../plan/network-ports.js';
import { setYaml } from './set-yaml.js';

/** What of the release a peer needs. */
export interface PeerRelease {
  /** Text of the release's core.yaml. */
  readonly coreYaml: string;
  /** Folder whose bin/ holds the builder for chaincode as a service. */
  readonly ccaasBuilder: string;
}

/** A port that the system chooses: for listeners that nobody needs to find. */
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
