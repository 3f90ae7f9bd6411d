import { join } from 'node:path';
import type { NetworkLayout } from '../plan/network-layout.js';
import { ADVERTISED_HOST, CA, ORG1, type NetworkPlan } from '../plan/network-plan.js';

/**
 * The environment that points ledger-api at the network, for either driver: only LEDGER_DRIVER decides. Values are
 * quoted, since paths may hold spaces.
 */
export function environmentFile(plan: NetworkPlan, layout: NetworkLayout): string {
  const variables: Readonly<Record<string, string>> = {
    LEDGER_DRIVER: 'fabric-gateway',
    LEDGER_CHANNEL: plan.channel,
    LEDGER_CHAINCODE: plan.chaincode.name,
    LEDGER_MSP_ID: ORG1.mspId,
    FABRIC_PEER_ENDPOINTS: `${ADVERTISED_HOST}:${plan.ports.peerOrg1}`,
    FABRIC_PEER_HOST_ALIAS: ORG1.peerHost,
    FABRIC_TLS_ROOT_CERT: join(layout.pem, 'tls-root.pem'),
    FABRIC_CERT: join(layout.pem, 'User1.cert.pem'),
    FABRIC_KEY: join(layout.pem, 'User1.key.pem'),
    FABRIC_CONNECTION_PROFILE: layout.connectionProfile(ORG1),
    FABRIC_WALLET_DIR: layout.wallet,
    FABRIC_IDENTITY: 'User1',
    FABRIC_DISCOVERY_AS_LOCALHOST: 'true',
    ...(plan.ca && { FABRIC_CA_NAME: CA.host }),
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`);
  return `# Points ledger-api at this network as User1 of Org1; LEDGER_DRIVER may also be fabric.\n${lines.join('\n')}\n`;
}

function quoted(value: string): string {
  return /^[\w./:,-]+$/.test(value) ? value : `"${value}"`;
}
