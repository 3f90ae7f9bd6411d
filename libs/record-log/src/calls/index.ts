export { type DocumentText, RecordCalls } from './record-calls.js';
