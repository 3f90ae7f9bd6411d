export { ledgerConformance, type LedgerUnderTest } from './ledger-conformance.js';
