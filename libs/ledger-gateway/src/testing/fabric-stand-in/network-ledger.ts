import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFabricLedger } from '../../drivers/fabric/create-fabric-ledger.js';
import type { FabricOptions } from '../../drivers/fabric/open-fabric-ledger.js';
import { FabricStandIn, type FabricStandInOptions } from './fabric-stand-in.js';
import { QUICK_PACE, writeWalletIdentity, type LedgerOnStandIn } from './ledger-on-stand-in.js';
import { STAND_IN_MSP, type StandInSigner } from './stand-in-identities.js';

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
  const ledger = await createFabricLedger({
    channel: 'mychannel',
    chaincode: 'basic',
    connectionProfile: join(directory, 'profile.json'),
    walletDir: directory,
    identity: 'User1',
    isCaller: () => true,
    discoveryAsLocalhost: true,
    tlsClient:
      networkOptions?.transport === 'mutual-tls'
        ? { certificate: join(directory, 'client.pem'), privateKey: join(directory, 'client.key.pem') }
        : undefined,
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
