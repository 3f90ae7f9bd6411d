/**
 * Which of Node's insides are used. Each is off where {@link proveInternals} has found that it does not do what it is used
 * for; the way without it is named with it in docs/node-internals.md, and tested.
 */
export const internals = {
  /** A socket that reads into given buffers is made over the handle of an accepted one. */
  handOver: true,
  /** A socket that reads is given another buffer. */
  liveBuffer: true,
  /** Several sockets read into one buffer: a read is told before the next one of another socket begins. */
  sharedBuffer: true,
  /** A handle tells how many bytes of a write the kernel has not taken. */
  writeQueue: true,
  /** A handle tells that the connection is gone though nobody reads or writes. */
  peerName: true,
};

/** Something of Node that is not documented. */
export type Internal = keyof typeof internals;
