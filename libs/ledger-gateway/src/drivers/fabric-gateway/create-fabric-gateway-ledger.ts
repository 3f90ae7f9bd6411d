import { loadWithSdk } from '../../fabric-client/optional-sdk.js';
import type { Ledger } from '../../ports/ledger.port.js';
import type { FabricGatewayOptions } from './open-fabric-gateway-ledger.js';

const SDK = ['@hyperledger/fabric-gateway', '@grpc/grpc-js'];

/**
 * Opens a ledger on a Fabric network through the gateway service of its peers (Fabric 2.4 and later). No connection is
 * waited for; the logger is told if the network cannot be used yet, and when it can.
 * @throws `LEDGER.MISCONFIGURED` when a file cannot be read, certificate and key are no pair, or the SDK is not there
 */
export async function createFabricGatewayLedger(options: FabricGatewayOptions): Promise<Ledger> {
  // The driver's packages load only when it is chosen.
  const { openFabricGatewayLedger } = await loadWithSdk(SDK, async () => import('./open-fabric-gateway-ledger.js'));
  return openFabricGatewayLedger(options);
}
