import { loadWithSdk } from '../../fabric-client/optional-sdk.js';
import type { Ledger } from '../../ports/ledger.port.js';
import type { CaAddress } from './connection-profile.js';
import type { FabricCa } from './open-fabric-ca.js';
import type { FabricOptions } from './open-fabric-ledger.js';

/**
 * Opens a ledger on a Fabric network by a connection profile, a wallet and discovery. No connection is waited for;
 * the logger is told if the network cannot be used yet, and when it can.
 * @throws `LEDGER.MISCONFIGURED` when the profile or the identity cannot be read, or the SDK is not there
 */
export async function createFabricLedger(options: FabricOptions): Promise<Ledger> {
  quietSdk();
  // The driver's packages load only when it is chosen.
  const { openFabricLedger } = await loadWithSdk(['fabric-network'], async () => import('./open-fabric-ledger.js'));
  return openFabricLedger(options);
}

/** A client of a Fabric CA, whose identities belong to that MSP. Nothing is sent before the first call. */
export async function createFabricCa(address: CaAddress, mspId: string): Promise<FabricCa> {
  quietSdk();
  const { openFabricCa } = await loadWithSdk(['fabric-ca-client'], async () => import('./open-fabric-ca.js'));
  return openFabricCa(address, mspId);
}

/**
 * The certificate authority in a connection profile: the one of that name, or the only one.
 * @throws `LEDGER.MISCONFIGURED` when there is none, or several and no name
 */
export async function caOfProfile(file: string, caName?: string): Promise<CaAddress> {
  const { readCaOfProfile } = await import('./connection-profile.js');
  return readCaOfProfile(file, caName);
}

const quiet = (): void => undefined;

/**
 * Keeps the SDK from writing every failure to the console with its stack: what matters of it comes back as errors. It
 * has to be called before the SDK is loaded, which looks here for a logger.
 */
function quietSdk(): void {
  const place = globalThis as { hfc?: { readonly logger: unknown } };
  place.hfc ??= { logger: { error: quiet, warn: quiet, info: quiet, debug: quiet } };
}
