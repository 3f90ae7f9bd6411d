export { MemoryReplayState } from './memory-verifier.js';
export { reconfigured, reorganised } from './reconfigured.js';
export { recordedChains } from './recorded-blocks.js';
export { createTestOrganisation, type Signer, type TestBlock, TestChain, type TestTransaction } from './test-chain.js';
export { onUnknownCurve } from './unknown-curve.js';
export { org1, org2, stranger, write } from './verify-chain.js';
