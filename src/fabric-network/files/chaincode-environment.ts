import type { NetworkLayout } from '../plan/network-layout.js';
import type { NetworkPlan } from '../plan/network-plan.js';
import { LOOPBACK } from '../plan/network-ports.js';

/**
 * What a chaincode served as a service finds in its environment: the variables that fabric-samples' external chaincode
 * reads.
 */
export function chaincodeEnvironment(
  { ports, chaincode }: NetworkPlan,
  { chaincodeTls: tls }: NetworkLayout,
  id: string,
): Readonly<Record<string, string>> {
  const service = {
    CHAINCODE_ID: id,
    CHAINCODE_SERVER_ADDRESS: `${LOOPBACK}:${ports.chaincode}`,
    // fabric-shim writes a line for each call at its default level, info.
    CORE_CHAINCODE_LOGGING_LEVEL: 'WARNING',
  };
  if (!chaincode.tls) return { ...service, CHAINCODE_TLS_DISABLED: 'true' };
  return {
    ...service,
    CHAINCODE_TLS_DISABLED: 'false',
    CHAINCODE_TLS_KEY: tls.serviceKey,
    CHAINCODE_TLS_CERT: tls.serviceCert,
    CHAINCODE_CLIENT_CA_CERT: tls.root,
  };
}
