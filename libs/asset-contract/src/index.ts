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
export { ASSET_CONTRACT } from './contract/contract.js';
export { ASSET_ERROR_CODES } from './contract/rules.js';
