export { RECORDS_CONTRACT } from './contract/contract.js';
export {
  indexedFields,
  MAX_INDEXED_BYTES,
  MAX_RECORD_BYTES,
  readRecord,
  recordDigest,
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
  typeKey,
  type RecordMode,
  type RecordPayload,
  type RecordType,
} from './contract/record-type.js';
export { DOCUMENTS_COLLECTION, MAX_SEALED, type OutsideDocument } from './contract/outside-documents.js';
export {
  MAX_DOCUMENT_BYTES,
  parseDocument,
  readSealed,
  RECORDS_NAME,
  SALT_BYTES,
  sealDocument,
  splitRecordKey,
  type SealedDocument,
} from './contract/sealed-document.js';
export { requireValidDocument, SchemaCompiler, type SchemaCheck, type SchemaFault } from './contract/record-schema.js';
export { canonicalJson, escapePointer, isArray, isObject, type Json, type JsonObject } from './contract/strict-json.js';
