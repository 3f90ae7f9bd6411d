import { loadWithSdk } from '#ledger-gateway/driver';
import type { ChaincodeHost } from './chaincode.port.js';
import type { HostOptions } from './open-chaincode-host.js';

/**
 * Checks the configured chaincodes of a ledger, which starts and ends them.
 * @throws `LEDGER.MISCONFIGURED` when a folder is no chaincode that can be started, or gRPC is not installed
 */
export async function createChaincodeHost(options: HostOptions): Promise<ChaincodeHost> {
  const load = () => import('./open-chaincode-host.js');
  const { openChaincodeHost } = await loadWithSdk(['@grpc/grpc-js'], load);
  return openChaincodeHost(options);
}
