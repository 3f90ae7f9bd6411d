export { MemoryState } from './memory-state.js';
