import { join } from 'node:path';
import type { Ledger } from '#ledger-gateway';
import type { SigningOptions } from '#ledger-gateway/driver';
import { createFabricGatewayLedger, createFabricLedger } from '../index.js';
import type { FabricGatewayOptions } from '../transport-gateway/open-fabric-gateway-ledger.js';
import type { FabricOptions } from '../transport-sdk/open-fabric-ledger.js';
import { PACE } from '../driver/fabric-transport.js';
import type { FabricStandInOptions } from './fabric-stand-in.js';
import { STAND_IN_MSP } from './stand-in-identities.js';
import { startStandIn, type StandInSetting } from './start-stand-in.js';

/** A ledger of one of the Fabric drivers on its own stand-in. */
export interface LedgerOnStandIn extends StandInSetting {
  readonly ledger: Ledger;
  /** Closes the ledger and opens it again, with changed options if given. */
  readonly reopen: (signing?: SigningOptions) => Promise<Ledger>;
  /** Opens another ledger on the same network with the same files, as a replica does. */
  readonly replicate: () => Promise<Ledger>;
  /** Closes the ledgers, stops the network and removes its directory. */
  readonly dispose: () => Promise<void>;
}

type OnStandIn<O> = Partial<O> & { readonly network?: FabricStandInOptions; readonly pace?: typeof PACE };

/** Shorter intervals than in production, so that tests need not wait. */
export const QUICK_PACE = { ...PACE, state: 20, files: 20, access: 20, replace: 100, endorsers: 300 };

/** A short connection timeout for tests that stop nodes; on a busy machine a running node may exceed it. */
export const HASTY_PACE = { ...QUICK_PACE, connect: 200 };

/** Longer than any stage takes on a busy machine; tests of a limit set their own. */
export const LIMITS = { evaluate: 60_000, endorse: 60_000, submit: 60_000, commit: 60_000 };

/** A ledger of the fabric driver. */
export async function networkOnStandIn({
  network: networkOptions,
  pace = QUICK_PACE,
  ...options
}: OnStandIn<FabricOptions> = {}): Promise<LedgerOnStandIn> {
  Object.assign(PACE, pace);
  const setting = await startStandIn(networkOptions);
  const { directory } = setting;
  return onStandIn(setting, (signing) =>
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
      limits: LIMITS,
      ...options,
      ...signing,
    }),
  );
}

/** A ledger of the fabric-gateway driver. */
export async function gatewayOnStandIn({
  network: networkOptions,
  pace = QUICK_PACE,
  ...options
}: OnStandIn<FabricGatewayOptions> = {}): Promise<LedgerOnStandIn> {
  Object.assign(PACE, pace);
  const setting = await startStandIn(networkOptions);
  const { directory, network } = setting;
  return onStandIn(setting, (signing) =>
    createFabricGatewayLedger({
      channel: 'mychannel',
      chaincode: 'basic',
      mspId: STAND_IN_MSP,
      peers: network.peers.map(({ endpoint }) => ({ endpoint })),
      identity: { certificate: join(directory, 'cert.pem'), privateKey: join(directory, 'key.pem') },
      walletDir: directory,
      isCaller: () => true,
      certificatesDir: join(directory, 'certificates'),
      tls: tlsFiles(directory, networkOptions?.transport),
      limits: LIMITS,
      ...options,
      ...signing,
    }),
  );
}

async function onStandIn(
  setting: StandInSetting,
  open: (signing?: SigningOptions) => Promise<Ledger>,
): Promise<LedgerOnStandIn> {
  const first = await open();
  let ledger = first;
  const replicas: Ledger[] = [];
  const reopen = async (signing?: SigningOptions): Promise<Ledger> => {
    await ledger.close();
    ledger = await open(signing);
    return ledger;
  };
  const replicate = async (): Promise<Ledger> => {
    const replica = await open();
    replicas.push(replica);
    return replica;
  };
  const dispose = async (): Promise<void> => {
    await Promise.all([ledger, ...replicas].map((it) => it.close()));
    setting.dispose();
  };
  return { ...setting, ledger: first, reopen, replicate, dispose };
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
