export { CallSlots } from './call-slots.js';
export { reviveError, serveCalls, transferError, type TransferredError, WorkerCalls } from './worker-calls.js';
