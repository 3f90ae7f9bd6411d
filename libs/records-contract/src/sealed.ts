// Documents outside the blocks, for receipts, also in browsers: without schemas.
export {
  MAX_DOCUMENT_BYTES,
  parseDocument,
  readSealed,
  RECORDS_NAME,
  SALT_BYTES,
  sealDocument,
  splitRecordKey,
} from './contract/sealed-document.js';
export type { ContractError } from '#contract-kit/contract-error';
