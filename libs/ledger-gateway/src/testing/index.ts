export { pagesConformance } from './pages-conformance.js';
export { ledgerConformance, type LedgerUnderTest } from './ledger-conformance.js';
export { recordsConformance } from './records-conformance.js';
