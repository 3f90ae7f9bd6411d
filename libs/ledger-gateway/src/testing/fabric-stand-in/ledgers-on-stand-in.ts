import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFabricGatewayLedger } from '../../drivers/fabric-gateway/create-fabric-gateway-ledger.js';
import type { FabricGatewayOptions } from '../../drivers/fabric-gateway/open-fabric-gateway-ledger.js';
import { createFabricLedger } from '../../drivers/fabric/create-fabric-ledger.js';
import type { FabricOptions } from '../../drivers/fabric/open-fabric-ledger.js';
import { PACE, type Pace } from '../../fabric-client/fabric-transport.js';
import type { Ledger } from '../../ports/ledger.port.js';
import { FabricStandIn, type FabricStandInOptions } from './fabric-stand-in.js';
import { STAND_IN_MSP, type StandInSigner } from './stand-in-identities.js';

/** A ledger of one of the Fabric drivers on a stand-in of its own. */
export interface LedgerOnStandIn {
  readonly network: FabricStandIn;
  readonly ledger: Ledger;
  /** Puts an identity where the ledger reads it. */
  readonly useIdentity: (signer: StandInSigner) => void;
  /** Puts a caller's identity into the wallet. */
  readonly addCaller: (name: string, signer: StandInSigner) => void;
  /** Closes the ledger and opens it again. */
  readonly reopen: () => Promise<Ledger>;
  readonly dispose: () => Promise<void>;
}

/** Looks more often than in production, so that tests need not wait. */
export const QUICK_PACE: Pace = { ...PACE, state: 20, files: 20, replace: 100 };

/** For tests whose nodes go: what is not connected soon counts as gone, which it may on a busy machine without being so. */
export const HASTY_PACE: Pace = { ...QUICK_PACE, connect: 200 };

/** Writes an identity into a file-system wallet. */
function writeWalletIdentity(directory: string, name: string, { certificate, privateKey }: StandInSigner): void {
  const identity = { credentials: { certificate, privateKey }, mspId: STAND_IN_MSP, type: 'X.509', version: 1 };
  writeFileSync(join(directory, `${name}.id`), JSON.stringify(identity));
}

/** A ledger of the fabric driver on a stand-in of its own. */
export interface NetworkOnStandIn extends LedgerOnStandIn {
  /** Holds `profile.json` and the wallet's `User1.id`. */
  readonly directory: string;
}

export async function networkOnStandIn({
  network: networkOptions,
  ...options
}: Partial<FabricOptions> & { readonly network?: FabricStandInOptions } = {}): Promise<NetworkOnStandIn> {
  const network = await FabricStandIn.start(networkOptions);
  const directory = mkdtempSync(join(tmpdir(), 'fabric-'));
  const useIdentity = (signer: StandInSigner): void => {
    writeWalletIdentity(directory, 'User1', signer);
  };
  useIdentity(network.organisation.client);
  writeFileSync(join(directory, 'profile.json'), JSON.stringify(connectionProfile(network, networkOptions?.transport)));
  const { tls } = network.organisation;
  writeFileSync(join(directory, 'client.pem'), tls.client.certificate);
  writeFileSync(join(directory, 'client.key.pem'), tls.client.privateKey);
  const open = (): Promise<Ledger> =>
    createFabricLedger({
      channel: 'mychannel',
      chaincode: 'basic',
      connectionProfile: join(directory, 'profile.json'),
      walletDir: directory,
      identity: 'User1',
      isCaller: () => true,
      certificatesDir: join(directory, 'certificates'),
      discoveryAsLocalhost: true,
      tlsClient:
        networkOptions?.transport === 'mutual-tls'
          ? { certificate: join(directory, 'client.pem'), privateKey: join(directory, 'client.key.pem') }
          : undefined,
      limits: { evaluate: 10_000, endorse: 10_000, submit: 10_000, commit: 10_000 },
      pace: QUICK_PACE,
      ...options,
    });
  let ledger = await open();
  const addCaller = (name: string, signer: StandInSigner): void => {
    writeWalletIdentity(directory, name, signer);
  };
  const reopen = async (): Promise<Ledger> => {
    await ledger.close();
    ledger = await open();
    return ledger;
  };
  const dispose = async (): Promise<void> => {
    await ledger.close();
    network.stop();
    rmSync(directory, { recursive: true });
  };
  return { network, ledger, directory, useIdentity, addCaller, reopen, dispose };
}

function connectionProfile(network: FabricStandIn, transport: FabricStandInOptions['transport'] = 'clear') {
  const scheme = transport === 'clear' ? 'grpc' : 'grpcs';
  const names = network.peers.map(({ endpoint }) => endpoint);
  const pem = network.organisation.tls.root.certificate;
  return {
    name: 'stand-in',
    version: '1.0.0',
    client: { organization: 'Org1' },
    organizations: { Org1: { mspid: STAND_IN_MSP, peers: names } },
    peers: Object.fromEntries(names.map((name) => [name, { url: `${scheme}://${name}`, tlsCACerts: { pem } }])),
  };
}

/** A ledger of the fabric-gateway driver on a stand-in of its own. */
export interface GatewayOnStandIn extends LedgerOnStandIn {
  /** Holds `cert.pem` and `key.pem` of the identity, and `tls.pem`, `client.pem` and `client.key.pem`. */
  readonly directory: string;
}

export async function gatewayOnStandIn({
  network: networkOptions,
  ...options
}: Partial<FabricGatewayOptions> & { readonly network?: FabricStandInOptions } = {}): Promise<GatewayOnStandIn> {
  const network = await FabricStandIn.start(networkOptions);
  const directory = mkdtempSync(join(tmpdir(), 'fabric-gateway-'));
  const useIdentity = (signer: StandInSigner): void => {
    writeIdentity(directory, signer);
  };
  useIdentity(network.organisation.client);
  writeTls(directory, network);
  const open = (): Promise<Ledger> =>
    createFabricGatewayLedger({
      channel: 'mychannel',
      chaincode: 'basic',
      mspId: 'Org1MSP',
      peers: network.peers.map(({ endpoint }) => ({ endpoint })),
      identity: { certificate: join(directory, 'cert.pem'), privateKey: join(directory, 'key.pem') },
      walletDir: directory,
      isCaller: () => true,
      certificatesDir: join(directory, 'certificates'),
      tls: tlsFiles(directory, networkOptions?.transport),
      limits: { evaluate: 10_000, endorse: 10_000, submit: 10_000, commit: 10_000 },
      pace: QUICK_PACE,
      ...options,
    });
  let ledger = await open();
  const addCaller = (name: string, signer: StandInSigner): void => {
    writeWalletIdentity(directory, name, signer);
  };
  const reopen = async (): Promise<Ledger> => {
    await ledger.close();
    ledger = await open();
    return ledger;
  };
  const dispose = async (): Promise<void> => {
    await ledger.close();
    network.stop();
    rmSync(directory, { recursive: true });
  };
  return { network, ledger, directory, useIdentity, addCaller, reopen, dispose };
}

function writeIdentity(directory: string, { certificate, privateKey }: StandInSigner): void {
  writeFileSync(join(directory, 'key.pem'), privateKey);
  writeFileSync(join(directory, 'cert.pem'), certificate);
}

function writeTls(directory: string, { organisation: { tls } }: FabricStandIn): void {
  writeFileSync(join(directory, 'tls.pem'), tls.root.certificate);
  writeFileSync(join(directory, 'client.pem'), tls.client.certificate);
  writeFileSync(join(directory, 'client.key.pem'), tls.client.privateKey);
}

function tlsFiles(
  directory: string,
  transport: FabricStandInOptions['transport'] = 'clear',
): FabricGatewayOptions['tls'] {
  if (transport === 'clear') return undefined;
  const rootCertificates = join(directory, 'tls.pem');
  if (transport === 'tls') return { rootCertificates };
  return {
    rootCertificates,
    clientCertificate: join(directory, 'client.pem'),
    clientKey: join(directory, 'client.key.pem'),
  };
}
