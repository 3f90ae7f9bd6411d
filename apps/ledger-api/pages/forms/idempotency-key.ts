/**
 * The Idempotency-Key of a form. It stays the same while the content does, so that a repeated submission is executed once; other
 * content gets a new key, because the API refuses another write with the same key.
 */
export class IdempotencyKey {
  #content = '';
  #key = '';

  /** Returns the key of a write. @param write - identifies the write */
  for(write: unknown): string {
    const content = JSON.stringify(write);
    if (this.#key === '' || content !== this.#content) {
      this.#content = content;
      this.#key = randomKey();
    }
    return this.#key;
  }

  /** Makes the next write a new one, also with the same content. */
  renew(): void {
    this.#key = '';
  }
}

/** Returns 128 random bits. `crypto.randomUUID` is limited to secure contexts. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
