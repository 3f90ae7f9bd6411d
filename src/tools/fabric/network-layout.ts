import { join } from 'node:path';
import { CHAINCODE_TLS, ORDERER, ORG1, type PeerOrganisation } from './network-plan.js';

/** Where each file of a network is. */
export class NetworkLayout {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  get record(): string {
    return this.#at('network.json');
  }
  get cryptoConfig(): string {
    return this.#at('crypto-config.yaml');
  }
  get organisations(): string {
    return this.#at('organizations');
  }
  get channelConfig(): string {
    return this.#at('configtx', 'configtx.yaml');
  }
  get genesisBlock(): string {
    return this.#at('configtx', 'genesis.block');
  }
  get orderer(): string {
    return this.#at('orderer');
  }
  get ca(): string {
    return this.#at('ca');
  }
  get chaincodePackage(): string {
    return this.#at('chaincode', 'package.tgz');
  }
  get wallet(): string {
    return this.#at('wallet');
  }
  get pem(): string {
    return this.#at('pem');
  }
  get environment(): string {
    return this.#at('.env');
  }
  /** Secret of the CA's registrar, for enrolling. */
  get registrarSecret(): string {
    return this.#at('ca', 'registrar-secret');
  }

  peer({ name }: PeerOrganisation): string {
    return this.#at('peers', name.toLowerCase());
  }

  log(process: string): string {
    return this.#at('logs', `${process}.log`);
  }

  connectionProfile({ name }: PeerOrganisation): string {
    return this.#at(`connection-${name.toLowerCase()}.json`);
  }

  /** MSP and TLS folders of the orderer, as cryptogen lays them out. */
  get ordererIdentity(): { readonly msp: string; readonly tls: string } {
    const base = this.#at('organizations', 'ordererOrganizations', ORDERER.domain, 'orderers', ORDERER.host);
    return { msp: join(base, 'msp'), tls: join(base, 'tls') };
  }

  get ordererOrganisation(): string {
    return this.#at('organizations', 'ordererOrganizations', ORDERER.domain);
  }

  organisation({ domain }: Pick<PeerOrganisation, 'domain'>): string {
    return this.#at('organizations', 'peerOrganizations', domain);
  }

  peerIdentity(organisation: Pick<PeerOrganisation, 'domain' | 'peerHost'>): {
    readonly msp: string;
    readonly tls: string;
  } {
    const base = join(this.organisation(organisation), 'peers', organisation.peerHost);
    return { msp: join(base, 'msp'), tls: join(base, 'tls') };
  }

  /** MSP and TLS folders of `Admin` or `User1`. */
  user(
    organisation: Pick<PeerOrganisation, 'domain'>,
    user: 'Admin' | 'User1',
  ): { readonly msp: string; readonly tls: string } {
    const base = join(this.organisation(organisation), 'users', `${user}@${organisation.domain}`);
    return { msp: join(base, 'msp'), tls: join(base, 'tls') };
  }

  /** The certificate that vouches for the TLS certificates of an organisation's nodes. */
  tlsRoot(organisation: Pick<PeerOrganisation, 'domain'>): string {
    return join(this.organisation(organisation), 'tlsca', `tlsca.${organisation.domain}-cert.pem`);
  }

  get ordererTlsRoot(): string {
    return join(this.ordererOrganisation, 'tlsca', `tlsca.${ORDERER.domain}-cert.pem`);
  }

  /** Org1's root, which the CA signs with. */
  get caIdentity(): { readonly cert: string; readonly key: string } {
    const base = join(this.organisation(ORG1), 'ca');
    return { cert: join(base, `ca.${ORG1.domain}-cert.pem`), key: join(base, 'priv_sk') };
  }

  /** What the chaincode shows to the peers, what they show to it, and who vouches for both. */
  get chaincodeTls(): ChaincodeTlsFiles {
    const service = this.peerIdentity({ domain: CHAINCODE_TLS.domain, peerHost: CHAINCODE_TLS.host }).tls;
    const client = this.user(CHAINCODE_TLS, 'Admin').tls;
    return {
      root: this.tlsRoot(CHAINCODE_TLS),
      serviceCert: join(service, 'server.crt'),
      serviceKey: join(service, 'server.key'),
      clientCert: join(client, 'client.crt'),
      clientKey: join(client, 'client.key'),
    };
  }

  #at(...parts: string[]): string {
    return join(this.directory, ...parts);
  }
}

export interface ChaincodeTlsFiles {
  readonly root: string;
  readonly serviceCert: string;
  readonly serviceKey: string;
  readonly clientCert: string;
  readonly clientKey: string;
}
