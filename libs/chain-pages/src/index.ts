export {
  assetAfter,
  assetChange,
  type AssetChunk,
  isKeyBelow,
  requireBlockIn,
  searchAssets,
  writeOf,
} from './asset-pages.js';
export { authoritiesOf, newestConfiguration } from './authorities.js';
export { blockPage, CreatorNames, hasBounds, millisecondsOf, timeFilter, transactionPage } from './chain-pages.js';
export { type BlockPosition, type ChainReader, isBefore, searchChain, upperBlock } from './chain-reader.js';
export { createdAssets } from './created-assets.js';
export { type KeySource, previousKeys } from './previous-keys.js';
export {
  type FieldCondition,
  type FoundIds,
  meetsConditions,
  RECORD_FIELDS_TABLE,
  recordAfter,
  RecordFieldReader,
  RecordFieldWriter,
  type RecordState,
} from './record-fields.js';
export { beginTransaction, inTransaction, type ReadingConnection, rollBack, type Transaction } from './connections.js';
export { type SearchSources, suggestions, type ValueFrom } from './search.js';
