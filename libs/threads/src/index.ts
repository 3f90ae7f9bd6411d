export { CallSlots } from './call-slots.js';
export { moveBytes } from './moved-bytes.js';
export {
  bytesOf,
  byteText,
  type ByteText,
  packBytes,
  type PackedMap,
  packMap,
  unpackBytes,
  unpackMap,
} from './packed-bytes.js';
export { reviveError, serveCalls, transferError, type TransferredError, WorkerCalls } from './worker-calls.js';
