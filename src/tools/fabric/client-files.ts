import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkContext } from './components.js';
import { write } from './make-files.js';
import type { NetworkLayout } from './network-layout.js';
import {
  ADVERTISED_HOST,
  CA,
  ORDERER,
  ORG1,
  ORG2,
  PEER_ORGANISATIONS,
  type NetworkPlan,
  type PeerOrganisation,
} from './network-plan.js';

/** Writes what clients need: connection profiles, a wallet, PEM files and an environment for ledger-api. */
export function writeClientFiles({ plan, layout, progress }: NetworkContext): void {
  const roots = {
    orderer: readFileSync(layout.ordererTlsRoot, 'utf8'),
    Org1: readFileSync(layout.tlsRoot(ORG1), 'utf8'),
    Org2: readFileSync(layout.tlsRoot(ORG2), 'utf8'),
    ...(plan.ca && { ca: readFileSync(layout.caIdentity.cert, 'utf8') }),
  };
  for (const organisation of PEER_ORGANISATIONS) {
    write(layout.connectionProfile(organisation), connectionProfile(plan, organisation, roots));
  }
  for (const user of ['User1', 'Admin'] as const) {
    const { msp } = layout.user(ORG1, user);
    const certificate = onlyFileIn(join(msp, 'signcerts'));
    const key = onlyFileIn(join(msp, 'keystore'));
    write(join(layout.wallet, `${user}.id`), walletIdentity(ORG1.mspId, certificate, key));
    write(join(layout.pem, `${user}.cert.pem`), certificate);
    write(join(layout.pem, `${user}.key.pem`), key);
  }
  write(join(layout.pem, 'tls-root.pem'), roots.Org1);
  write(layout.environment, environmentFile(plan, layout));
  progress(`connection profiles, wallet, PEM files and .env written to ${layout.directory}`);
}

function onlyFileIn(folder: string): string {
  const [name = ''] = readdirSync(folder);
  return readFileSync(join(folder, name), 'utf8');
}

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

/**
 * The environment that points ledger-api at the network, for either driver: only LEDGER_DRIVER decides. Values are
 * quoted, since paths may hold spaces.
 */
export function environmentFile(plan: NetworkPlan, layout: NetworkLayout): string {
  const variables: Readonly<Record<string, string>> = {
    LEDGER_DRIVER: 'fabric-gateway',
    LEDGER_CHANNEL: plan.channel,
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
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`);
  return `# Points ledger-api at this network as User1 of Org1; LEDGER_DRIVER may also be fabric.\n${lines.join('\n')}\n`;
}

function quoted(value: string): string {
  return /^[\w./:,-]+$/.test(value) ? value : `"${value}"`;
}

/** An identity in the form of fabric-network's file-system wallet (version 1 of its X.509 identities). */
export function walletIdentity(mspId: string, certificate: string, privateKey: string): string {
  return JSON.stringify({ credentials: { certificate, privateKey }, mspId, type: 'X.509', version: 1 });
}
