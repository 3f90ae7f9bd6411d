import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFabricGatewayLedger } from '../../drivers/fabric-gateway/create-fabric-gateway-ledger.js';
import type { FabricGatewayOptions } from '../../drivers/fabric-gateway/open-fabric-gateway-ledger.js';
import { FabricStandIn, type FabricStandInOptions } from './fabric-stand-in.js';
import { QUICK_PACE, writeWalletIdentity, type LedgerOnStandIn } from './ledger-on-stand-in.js';
import type { StandInSigner } from './stand-in-identities.js';

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
  const ledger = await createFabricGatewayLedger({
    channel: 'mychannel',
    chaincode: 'basic',
    mspId: 'Org1MSP',
    peers: network.peers.map(({ endpoint }) => ({ endpoint })),
    identity: { certificate: join(directory, 'cert.pem'), privateKey: join(directory, 'key.pem') },
    walletDir: directory,
    isCaller: () => true,
    tls: tlsFiles(directory, networkOptions?.transport),
    limits: { evaluate: 10_000, endorse: 10_000, submit: 10_000, commit: 10_000 },
    pace: QUICK_PACE,
    ...options,
  });
  const addCaller = (name: string, signer: StandInSigner): void => {
    writeWalletIdentity(directory, name, signer);
  };
  const dispose = async (): Promise<void> => {
    await ledger.close();
    network.stop();
    rmSync(directory, { recursive: true });
  };
  return { network, ledger, directory, useIdentity, addCaller, dispose };
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
