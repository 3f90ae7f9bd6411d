import { join } from 'node:path';
import { STAND_IN_MSP } from '../../libs/fabric-ledger/src/testing/stand-in-identities.js';
import type { StandInSetting } from '../../libs/fabric-ledger/src/testing/start-stand-in.js';

type Environment = Readonly<Record<string, string>>;

/** The settings with which ledger-api uses a stand-in by the driver `fabric`. */
export const fabricEnv = ({ directory }: StandInSetting): Environment => ({
  LEDGER_DRIVER: 'fabric',
  FABRIC_CONNECTION_PROFILE: join(directory, 'profile.json'),
  FABRIC_WALLET_DIR: directory,
  FABRIC_IDENTITY: 'User1',
  FABRIC_DISCOVERY_AS_LOCALHOST: 'true',
});

/** The settings with which ledger-api uses a stand-in by the driver `fabric-gateway`. */
export const gatewayEnv = ({ directory, network }: StandInSetting): Environment => ({
  LEDGER_DRIVER: 'fabric-gateway',
  LEDGER_MSP_ID: STAND_IN_MSP,
  FABRIC_PEER_ENDPOINTS: network.peers.map(({ endpoint }) => endpoint).join(','),
  FABRIC_CERT: join(directory, 'cert.pem'),
  FABRIC_KEY: join(directory, 'key.pem'),
});

/** Both Fabric drivers. */
export const STAND_IN_DRIVERS = [
  { driver: 'fabric', envOf: fabricEnv },
  { driver: 'fabric-gateway', envOf: gatewayEnv },
];
