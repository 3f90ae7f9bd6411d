/** The byte arrays that a message moves. */
const MOVED = new WeakSet<object>();
const NONE: readonly ArrayBuffer[] = [];

/**
 * Marks a byte array that the next message moves to the other thread instead of cloning it, as a parameter or as a result; it is
 * empty on this thread afterwards. Its buffer must contain nothing else.
 */
export function moveBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  MOVED.add(bytes);
  return bytes;
}

/** Returns the buffers of the values that {@link moveBytes} has marked, for `postMessage`. */
export function movedBuffers(values: readonly unknown[]): readonly ArrayBuffer[] {
  const marked = values.filter((value): value is Uint8Array<ArrayBuffer> => {
    return typeof value === 'object' && value !== null && MOVED.has(value);
  });
  return marked.length === 0 ? NONE : marked.map(({ buffer }) => buffer);
}
