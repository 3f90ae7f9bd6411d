import {
  ADVERTISED_HOST,
  CA,
  ORDERER,
  ORG1,
  PEER_ORGANISATIONS,
  type NetworkPlan,
  type PeerOrganisation,
} from '../plan/network-plan.js';

/** PEM texts of the roots that vouch for the TLS certificates. */
export interface TlsRoots {
  readonly orderer: string;
  readonly Org1: string;
  readonly Org2: string;
  /** Of the CA; absent when the network has none. */
  readonly ca?: string;
}

/**
 * The common connection profile of an organisation, for fabric-network and fabric-ca-client. It names every node, so
 * that it serves with discovery and without.
 */
export function connectionProfile(plan: NetworkPlan, own: PeerOrganisation, roots: TlsRoots): string {
  const peers = PEER_ORGANISATIONS.map((organisation) => [
    organisation.peerHost,
    node('grpcs', organisation.peerHost, plan.ports[organisation.port], roots[organisation.name]),
  ]);
  const hasCa = roots.ca !== undefined;
  const profile = {
    name: `${plan.channel}-${own.name.toLowerCase()}`,
    version: '1.0.0',
    client: { organization: own.name, connection: { timeout: { peer: { endorser: '30' }, orderer: '30' } } },
    channels: {
      [plan.channel]: {
        orderers: [ORDERER.host],
        peers: Object.fromEntries(PEER_ORGANISATIONS.map(({ peerHost }) => [peerHost, {}])),
      },
    },
    organizations: Object.fromEntries(
      PEER_ORGANISATIONS.map((organisation) => [
        organisation.name,
        {
          mspid: organisation.mspId,
          peers: [organisation.peerHost],
          ...(hasCa && organisation === ORG1 && { certificateAuthorities: [CA.host] }),
        },
      ]),
    ),
    orderers: { [ORDERER.host]: node('grpcs', ORDERER.host, plan.ports.orderer, roots.orderer) },
    peers: Object.fromEntries(peers) as object,
    ...(roots.ca !== undefined && {
      certificateAuthorities: {
        [CA.host]: {
          url: `https://${ADVERTISED_HOST}:${plan.ports.ca}`,
          caName: CA.host,
          tlsCACerts: { pem: [roots.ca] },
          httpOptions: { verify: true },
        },
      },
    }),
  };
  return `${JSON.stringify(profile, undefined, 2)}\n`;
}

function node(scheme: string, host: string, port: number, pem: string): object {
  return {
    url: `${scheme}://${ADVERTISED_HOST}:${port}`,
    tlsCACerts: { pem },
    grpcOptions: { 'ssl-target-name-override': host, hostnameOverride: host },
  };
}
