import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFabricGatewayLedger } from '../../drivers/fabric-gateway/create-fabric-gateway-ledger.js';
import type { FabricGatewayOptions } from '../../drivers/fabric-gateway/fabric-gateway-options.js';
import type { Ledger } from '../../ports/ledger.port.js';
import { FabricStandIn, type FabricStandInOptions } from './fabric-stand-in.js';
import type { StandInSigner } from './stand-in-identities.js';

/** A ledger of the fabric-gateway driver on a stand-in of its own. */
export interface GatewayOnStandIn {
  readonly network: FabricStandIn;
  readonly ledger: Ledger;
  /** Holds `cert.pem` and `key.pem` of the identity, and `tls.pem`, `client.pem` and `client.key.pem`. */
  readonly directory: string;
  readonly dispose: () => Promise<void>;
}

export async function gatewayOnStandIn({
  network: networkOptions,
  ...options
}: Partial<FabricGatewayOptions> & { readonly network?: FabricStandInOptions } = {}): Promise<GatewayOnStandIn> {
  const network = await FabricStandIn.start(networkOptions);
  const directory = mkdtempSync(join(tmpdir(), 'fabric-gateway-'));
  writeIdentity(directory, network.organisation.client);
  writeTls(directory, network);
  const ledger = await createFabricGatewayLedger({
    channel: 'mychannel',
    chaincode: 'basic',
    mspId: 'Org1MSP',
    peers: network.peers.map(({ endpoint }) => ({ endpoint })),
    identity: { certificate: join(directory, 'cert.pem'), privateKey: join(directory, 'key.pem') },
    tls: tlsFiles(directory, networkOptions?.transport),
    limits: { evaluate: 10_000, endorse: 10_000, submit: 10_000, commit: 10_000 },
    ...options,
  });
  const dispose = async (): Promise<void> => {
    await ledger.close();
    network.stop();
    rmSync(directory, { recursive: true });
  };
  return { network, ledger, directory, dispose };
}

/** Puts an identity where the ledger reads it. */
export function writeIdentity(directory: string, { certificate, privateKey }: StandInSigner): void {
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
