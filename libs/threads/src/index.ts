export { CallSlots } from './call-slots.js';
export { moveBytes } from './moved-bytes.js';
export { reviveError, serveCalls, transferError, type TransferredError, WorkerCalls } from './worker-calls.js';
