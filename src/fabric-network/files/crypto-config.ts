import { stringify } from 'yaml';
import { ADVERTISED_HOST, CHAINCODE_TLS, ORDERER, PEER_ORGANISATIONS } from '../plan/network-plan.js';
import { LOOPBACK } from '../plan/network-ports.js';

/** What cryptogen makes: one orderer, one peer an organisation with a user, and the chaincode's TLS identities. */
export function cryptoConfig(): string {
  const SANS = [ADVERTISED_HOST, LOOPBACK];
  return stringify({
    OrdererOrgs: [
      {
        Name: 'Orderer',
        Domain: ORDERER.domain,
        EnableNodeOUs: true,
        Specs: [{ Hostname: 'orderer', SANS }],
      },
    ],
    PeerOrgs: [
      ...PEER_ORGANISATIONS.map(({ name, domain }) => ({
        Name: name,
        Domain: domain,
        EnableNodeOUs: true,
        Specs: [{ Hostname: 'peer0', SANS }],
        Users: { Count: 1 },
      })),
      {
        Name: 'Chaincode',
        Domain: CHAINCODE_TLS.domain,
        EnableNodeOUs: true,
        Specs: [{ Hostname: 'service', SANS }],
        Users: { Count: 0 },
      },
    ],
  });
}
