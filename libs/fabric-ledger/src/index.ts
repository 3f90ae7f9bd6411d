export {
  caOfProfile,
  checkFabricGatewayLedger,
  checkFabricLedger,
  createFabricCa,
  createFabricGatewayLedger,
  createFabricLedger,
} from './create-fabric-ledgers.js';
export type { FabricGatewayOptions } from './gateway/open-fabric-gateway-ledger.js';
export type { CaAddress } from './network/connection-profile.js';
export type { CaIdentity, FabricCa } from './network/fabric-ca.js';
