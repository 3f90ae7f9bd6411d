/**
 * Frees the memory of a buffer that nothing uses any more. V8 would free it in a garbage collection of the whole heap, and
 * starts one for each 64 MiB of such memory. A buffer that shares its memory with others is left to V8.
 */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
