export { MAX_ID_BYTES, MAX_PAGE_SIZE, MAX_VALUE_BYTES, idFault, valueFault } from './contract/asset-rules.js';
export { encodeAsset, toAsset, type Asset } from './contract/asset.js';
export { ContractError, parseContractError, type ContractErrorCode } from './contract/contract-error.js';
export { CONTRACT_FUNCTIONS, type ContractFunction } from './contract/contract-functions.js';
export { INITIAL_ASSETS } from './contract/initial-assets.js';
export { after, isPromise } from './contract/after.js';
export { invoke, invokeAtOnce } from './contract/invoke.js';
export type { HistoryEntry, MaybePromise, StateEntry, TransactionContext, WorldState } from './contract/world-state.js';
export {
  servicePackage,
  type ChaincodePackage,
  type ServiceConnection,
} from './chaincode/packaging/chaincode-package.js';
