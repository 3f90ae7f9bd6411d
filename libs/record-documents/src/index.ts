export { contentOf, isStoredOutside, type RecordContent, type StoredForm } from './record-content.js';
export { RecordDocuments, type RecordsLedger, type RecordSubmitResult } from './record-documents.js';
export { recordRefusal } from './record-refusal.js';
