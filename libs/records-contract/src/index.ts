export { RECORDS_CONTRACT, RECORDS_NAME } from './contract/contract.js';
export {
  indexedFields,
  MAX_DOCUMENT_BYTES,
  MAX_INDEXED_BYTES,
  MAX_RECORD_BYTES,
  parseDocument,
  readRecord,
  recordDigest,
  readSealed,
  type IndexedField,
  type StoredRecord,
} from './contract/record.js';
export { DocumentIdError, idInDocument, MAX_LINES_BYTES } from './contract/record-lines.js';
export {
  elementsIn,
  MAX_BATCH_BYTES,
  MAX_BATCH_RECORDS,
  type RecordBatchResult,
  type RefusedRecord,
} from './contract/record-functions.js';
export {
  isTypeName,
  RECORD_ERROR_CODES,
  readType,
  recordKey,
  splitRecordKey,
  typeKey,
  type RecordMode,
  type RecordPayload,
  type RecordType,
} from './contract/record-type.js';
export {
  DOCUMENTS_COLLECTION,
  MAX_SEALED,
  SALT_BYTES,
  sealDocument,
  type OutsideDocument,
  type SealedDocument,
} from './contract/outside-documents.js';
export { requireValidDocument, SchemaCompiler, type SchemaCheck, type SchemaFault } from './contract/record-schema.js';
export { canonicalJson, escapePointer, isArray, isObject, type Json, type JsonObject } from './contract/strict-json.js';
