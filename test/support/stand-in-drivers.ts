import { join } from 'node:path';
import {
  gatewayOnStandIn,
  networkOnStandIn,
  type LedgerOnStandIn,
} from '../../libs/ledger-gateway/src/testing/fabric-stand-in/ledgers-on-stand-in.js';
import { STAND_IN_MSP } from '../../libs/ledger-gateway/src/testing/fabric-stand-in/stand-in-identities.js';

/** Both Fabric drivers, each with a function that starts a network for it, and the settings with which ledger-api uses that. */
export const STAND_IN_DRIVERS = [
  {
    driver: 'fabric',
    start: networkOnStandIn,
    envOf: ({ directory }: LedgerOnStandIn): Readonly<Record<string, string>> => ({
      LEDGER_DRIVER: 'fabric',
      FABRIC_CONNECTION_PROFILE: join(directory, 'profile.json'),
      FABRIC_WALLET_DIR: directory,
      FABRIC_IDENTITY: 'User1',
      FABRIC_DISCOVERY_AS_LOCALHOST: 'true',
    }),
  },
  {
    driver: 'fabric-gateway',
    start: gatewayOnStandIn,
    envOf: ({ directory, network }: LedgerOnStandIn): Readonly<Record<string, string>> => ({
      LEDGER_DRIVER: 'fabric-gateway',
      LEDGER_MSP_ID: STAND_IN_MSP,
      FABRIC_PEER_ENDPOINTS: network.peers.map(({ endpoint }) => endpoint).join(','),
      FABRIC_CERT: join(directory, 'cert.pem'),
      FABRIC_KEY: join(directory, 'key.pem'),
    }),
  },
];
