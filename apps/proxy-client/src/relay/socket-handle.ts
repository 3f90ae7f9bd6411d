export type { SocketHandle } from '../node-internals/socket-handle.js';
export { takeHandles } from '../node-internals/take-handles.js';
