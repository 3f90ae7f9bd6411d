import { join } from 'node:path';
import { CHAINCODE_TLS, ORDERER, ORG1, type PeerOrganization } from './network-plan.js';

/** The path of each file of a network. Those in `organizations` are as cryptogen makes them. */
export type NetworkLayout = ReturnType<typeof layoutOf>;

// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- it would repeat each name
export function layoutOf(directory: string) {
  const at = (...parts: readonly string[]): string => join(directory, ...parts);
  const organization = ({ domain }: Pick<PeerOrganization, 'domain'>): string =>
    at('organizations', 'peerOrganizations', domain);
  const ordererOrganization = at('organizations', 'ordererOrganizations', ORDERER.domain);
  const identity = (base: string): Identity => ({ msp: join(base, 'msp'), tls: join(base, 'tls') });
  const peerIdentity = (of: Pick<PeerOrganization, 'domain' | 'peerHost'>): Identity =>
    identity(join(organization(of), 'peers', of.peerHost));
  const user = (of: Pick<PeerOrganization, 'domain'>, name: 'Admin' | 'User1'): Identity =>
    identity(join(organization(of), 'users', `${name}@${of.domain}`));
  const tlsRoot = (of: Pick<PeerOrganization, 'domain'>): string =>
    join(organization(of), 'tlsca', `tlsca.${of.domain}-cert.pem`);
  const service = peerIdentity({ domain: CHAINCODE_TLS.domain, peerHost: CHAINCODE_TLS.host }).tls;
  const client = user(CHAINCODE_TLS, 'Admin').tls;
  return {
    directory,
    record: at('network.json'),
    cryptoConfig: at('crypto-config.yaml'),
    organizations: at('organizations'),
    channelConfig: at('configtx', 'configtx.yaml'),
    genesisBlock: at('configtx', 'genesis.block'),
    orderer: at('orderer'),
    ca: at('ca'),
    /** Secret of the CA's registrar, for enrolling. */
    registrarSecret: at('ca', 'registrar-secret'),
    chaincodePackage: at('chaincode', 'package.tgz'),
    wallet: at('wallet'),
    pem: at('pem'),
    environment: at('.env'),
    peer: ({ name }: PeerOrganization): string => at('peers', name.toLowerCase()),
    log: (process: string): string => at('logs', `${process}.log`),
    connectionProfile: ({ name }: PeerOrganization): string => at(`connection-${name.toLowerCase()}.json`),
    ordererOrganization,
    ordererIdentity: identity(join(ordererOrganization, 'orderers', ORDERER.host)),
    ordererTlsRoot: join(ordererOrganization, 'tlsca', `tlsca.${ORDERER.domain}-cert.pem`),
    organization,
    peerIdentity,
    user,
    tlsRoot,
    /** Org1's root, which the CA signs with. */
    caIdentity: {
      cert: join(organization(ORG1), 'ca', `ca.${ORG1.domain}-cert.pem`),
      key: join(organization(ORG1), 'ca', 'priv_sk'),
    },
    /** The chaincode's server certificate, the peers' client certificate for it, and the root of both. */
    chaincodeTls: {
      root: tlsRoot(CHAINCODE_TLS),
      serviceCert: join(service, 'server.crt'),
      serviceKey: join(service, 'server.key'),
      clientCert: join(client, 'client.crt'),
      clientKey: join(client, 'client.key'),
    },
  };
}

interface Identity {
  readonly msp: string;
  readonly tls: string;
}
