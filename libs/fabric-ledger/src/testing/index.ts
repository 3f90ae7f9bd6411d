export { createOrganisation, type StandInSigner } from './stand-in-identities.js';
export { gatewayOnStandIn, type LedgerOnStandIn, networkOnStandIn } from './ledgers-on-stand-in.js';
export { sampleChaincode } from './stand-in-chaincode.js';
