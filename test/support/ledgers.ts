// Built to dist/test/ledgers.js: what tests and benchmarks run outside the programs.
export * from '#embedded-ledger';
export { describeTransaction } from '#fabric-codec';
export { RecordDocuments } from '#record-documents';
export { createFabricGatewayLedger, createFabricLedger } from '#fabric-ledger';
