export {
  assetDigest,
  assetText,
  canonicalAsset,
  encodeAsset,
  encodeList,
  encodePage,
  assetOf,
  readAsset,
  readPage,
  type Asset,
  type AssetsPage,
} from './contract/asset.js';
export {
  encodeBatch,
  MAX_BATCH_ASSETS,
  originArguments,
  readBatchResult,
  type BatchResult,
  type Origin,
  type RefusedAsset,
} from './contract/asset-batches.js';
export { parseLossless } from './contract/lossless-json.js';
export { INITIAL_ASSETS } from './contract/asset-functions.js';
export {
  CONTRACT_FUNCTIONS,
  contractMetadata,
  decideOn,
  METADATA_FUNCTION,
  prepare,
  type PreparedCall,
  type StateReader,
} from './contract/contract.js';
export type {
  ContractEvent,
  ContractFunction,
  HistoryEntry,
  RangeQuery,
  StateEntry,
  StoredValue,
  Write,
} from './contract/contract-function.js';
export {
  ContractError,
  idFault,
  MAX_ID_BYTES,
  MAX_PAGE_SIZE,
  MAX_VALUE_BYTES,
  parseContractError,
  valueFault,
} from './contract/rules.js';
export { servicePackage, type ChaincodePackage } from './chaincode/chaincode-package.js';
