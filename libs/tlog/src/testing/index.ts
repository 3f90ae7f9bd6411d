export { consistencyProof } from './reference-tree.js';
export { TestLog } from './test-log.js';
