import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { createFabricGatewayLedger, createFabricLedger } from '#fabric-ledger';
import type { Ledger } from '#ledger-gateway';
import type { FabricNetwork } from './fabric-network.js';

/** The default limits of ledger-api. */
const LIMITS = { evaluate: 10_000, endorse: 30_000, submit: 10_000, commit: 60_000 };

/** A driver of a Fabric network and how it is opened by the network's `.env`. */
export interface FabricDriver {
  readonly name: string;
  /** @param callers - names that sign for themselves, with identities of the network's wallet; by default the service signs */
  readonly open: (network: FabricNetwork, callers?: readonly string[]) => Promise<Ledger>;
}

export const FABRIC_DRIVERS: readonly FabricDriver[] = [
  { name: 'fabric-gateway', open: openGateway },
  { name: 'fabric', open: openNetwork },
];

function openGateway(network: FabricNetwork, callers?: readonly string[]): Promise<Ledger> {
  const env = environmentOf(network);
  return createFabricGatewayLedger({
    ...names(env),
    mspId: env['LEDGER_MSP_ID']!,
    peers: [{ endpoint: env['FABRIC_PEER_ENDPOINTS']!, hostAlias: env['FABRIC_PEER_HOST_ALIAS'] }],
    tls: { rootCertificates: env['FABRIC_TLS_ROOT_CERT']! },
    walletDir: env['FABRIC_WALLET_DIR'],
    signAs: callers === undefined ? 'service' : 'caller',
    isCaller: (name) => callers?.includes(name) === true,
    identity: { certificate: env['FABRIC_CERT']!, privateKey: env['FABRIC_KEY']! },
    limits: LIMITS,
  });
}

function openNetwork(network: FabricNetwork, callers?: readonly string[]): Promise<Ledger> {
  const env = environmentOf(network);
  return createFabricLedger({
    ...names(env),
    connectionProfile: env['FABRIC_CONNECTION_PROFILE']!,
    walletDir: env['FABRIC_WALLET_DIR']!,
    identity: env['FABRIC_IDENTITY']!,
    signAs: callers === undefined ? 'service' : 'caller',
    isCaller: (name) => callers?.includes(name) === true,
    discoveryAsLocalhost: env['FABRIC_DISCOVERY_AS_LOCALHOST'] === 'true',
    limits: LIMITS,
  });
}

/** The settings for ledger-api in the network's `.env`. */
function environmentOf({ directory }: FabricNetwork): NodeJS.Dict<string> {
  return parseEnv(readFileSync(join(directory, '.env'), 'utf8'));
}

function names(env: NodeJS.Dict<string>): { readonly channel: string; readonly chaincode: string } {
  return { channel: env['LEDGER_CHANNEL']!, chaincode: env['LEDGER_CHAINCODE']! };
}
