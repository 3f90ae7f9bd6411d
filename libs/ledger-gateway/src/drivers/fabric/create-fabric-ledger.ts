import type { Ledger } from '../../ports/ledger.port.js';
import type { FabricOptions } from './open-fabric-ledger.js';
import { quietSdk } from './quiet-sdk.js';

/**
 * Opens a ledger on a Fabric network by a connection profile, a wallet and discovery. No connection is made before the
 * first call.
 * @throws {@link MisconfiguredError} when the profile or the identity cannot be read
 */
export async function createFabricLedger(options: FabricOptions): Promise<Ledger> {
  quietSdk();
  // The driver's packages load only when it is chosen.
  const { openFabricLedger } = await import('./open-fabric-ledger.js');
  return openFabricLedger(options);
}
