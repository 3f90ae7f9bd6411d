import type { Ledger } from '../../ports/ledger.port.js';
import type { FabricGatewayOptions } from './open-fabric-gateway-ledger.js';

/**
 * Opens a ledger on a Fabric network through the gateway service of its peers (Fabric 2.4 and later). No connection is
 * waited for; the logger is told if the network cannot be used yet, and when it can.
 * @throws {@link MisconfiguredError} when a file cannot be read, or certificate and key are no pair
 */
export async function createFabricGatewayLedger(options: FabricGatewayOptions): Promise<Ledger> {
  // The driver's packages load only when it is chosen.
  const { openFabricGatewayLedger } = await import('./open-fabric-gateway-ledger.js');
  return openFabricGatewayLedger(options);
}
