/** What a decoder gives, or undefined where it throws: a verifier reports what it cannot read. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
