export {
  type Chaincode,
  type ChaincodeCall,
  type ChaincodeHost,
  type ChaincodeResponse,
  type ChaincodesOptions,
  type CollectionPlace,
  type DefinedCollection,
  type KeyModification,
  type PrivateState,
  type QuerySource,
  SimulationError,
  type SimulationLimits,
  type Simulator,
  type StateIterator,
  type StateRange,
} from './chaincode.port.js';
export { createChaincodeHost } from './create-chaincode-host.js';
export { SERVED_FORM, servedAddress } from './launch/served-address.js';
