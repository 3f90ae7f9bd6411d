import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { NetworkContext } from './deploy.js';
import {
  ADVERTISED_HOST,
  CA,
  type NetworkLayout,
  type NetworkPlan,
  ORDERER,
  ORG1,
  ORG2,
  PEER_ORGANIZATIONS,
  type PeerOrganization,
} from './network-plan.js';

/** Writes a file that only its owner can read: most files of a network are about keys. */
export function write(file: string, text: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}

/** Writes the files for clients: connection profiles, a wallet, PEM files and an environment for ledger-api. */
export function writeClientFiles({ plan, layout, progress }: NetworkContext): void {
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
  progress(`connection profiles, wallet, PEM files and .env written to ${layout.directory}`);
}

function onlyFileIn(folder: string): string {
  const [name = ''] = readdirSync(folder);
  return readFileSync(join(folder, name), 'utf8');
}

/** PEM texts of the roots of the TLS certificates; `ca` is absent if the network has none. */
export type TlsRoots = Readonly<Record<'orderer' | 'Org1' | 'Org2', string>> & { readonly ca?: string };

/**
 * Returns the common connection profile of an organization, for fabric-network and fabric-ca-client. It names every
 * node, so that it works with discovery and without.
 */
export function connectionProfile({ channel, ports }: NetworkPlan, own: PeerOrganization, roots: TlsRoots): string {
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
    channels: { [channel]: { orderers: [ORDERER.host], peers: peersTo(() => ({})) } },
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
