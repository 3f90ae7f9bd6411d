import type { Ledger } from '#ledger-gateway';
import { loadWithSdk } from '#ledger-gateway/driver';
import type { CaAddress } from './transport-sdk/connection-profile.js';
import type { FabricCa } from './transport-sdk/fabric-ca.js';
import type { FabricOptions } from './transport-sdk/open-fabric-ledger.js';
import type { FabricGatewayOptions } from './transport-gateway/open-fabric-gateway-ledger.js';

export type { FabricGatewayOptions } from './transport-gateway/open-fabric-gateway-ledger.js';
export type { CaAddress } from './transport-sdk/connection-profile.js';
export type { CaIdentity, FabricCa } from './transport-sdk/fabric-ca.js';

// Each driver and its SDK are imported dynamically: only the configured one is loaded.

/**
 * Opens a ledger on a Fabric network through the gateway service of its peers (Fabric 2.4 and later). It does not wait for a
 * connection; the logger reports when the network is unavailable, and when it becomes available.
 * @throws `LEDGER.MISCONFIGURED` when a file cannot be read, the key does not match the certificate, or the SDK is missing
 */
export async function createFabricGatewayLedger(options: FabricGatewayOptions): Promise<Ledger> {
  return (await loadGateway()).openFabricGatewayLedger(options);
}

/**
 * Checks the SDK and the files that {@link createFabricGatewayLedger} reads. Writes nothing and connects to nothing.
 * @throws the error with which it would fail
 */
export async function checkFabricGatewayLedger(options: FabricGatewayOptions): Promise<void> {
  await (await loadGateway()).checkFabricGatewayLedger(options);
}

/** Opens a ledger like {@link createFabricGatewayLedger}, with a connection profile, a wallet and discovery. */
export async function createFabricLedger(options: FabricOptions): Promise<Ledger> {
  return (await loadNetwork()).openFabricLedger(options);
}

/** Like {@link checkFabricGatewayLedger}, for {@link createFabricLedger}. */
export async function checkFabricLedger(options: FabricOptions): Promise<void> {
  await (await loadNetwork()).checkFabricLedger(options);
}

/** Creates a client of a Fabric CA whose identities belong to an MSP. It connects at the first call. */
export async function createFabricCa(address: CaAddress, mspId: string): Promise<FabricCa> {
  silenceSdk();
  const driver = await loadWithSdk(['fabric-ca-client'], () => import('./transport-sdk/fabric-ca.js'));
  return new driver.FabricCa(address, mspId);
}

/**
 * Reads the certificate authority of a connection profile: the one of that name, or the only one.
 * @throws `LEDGER.MISCONFIGURED` when there is none, or several and no name
 */
export async function caOfProfile(file: string, caName?: string): Promise<CaAddress> {
  const { readCaOfProfile } = await import('./transport-sdk/connection-profile.js');
  return readCaOfProfile(file, caName);
}

function loadGateway() {
  const load = () => import('./transport-gateway/open-fabric-gateway-ledger.js');
  return loadWithSdk(['@hyperledger/fabric-gateway', '@grpc/grpc-js'], load);
}

function loadNetwork() {
  silenceSdk();
  return loadWithSdk(['fabric-network'], () => import('./transport-sdk/open-fabric-ledger.js'));
}

const ignore = (): void => undefined;

/**
 * Keeps the SDK from logging every failure with its stack to the console: the driver throws them as errors. Must be called
 * before the SDK is loaded, which looks for a logger here.
 */
function silenceSdk(): void {
  const holder = globalThis as { hfc?: { readonly logger: unknown } };
  holder.hfc ??= { logger: { error: ignore, warn: ignore, info: ignore, debug: ignore } };
}
