/**
 * The Idempotency-Key of a form: the same for as long as the form says the same, so that pressing the button again after a
 * failure of any kind makes the write once; another one for another write, which the API would refuse under the same key.
 */
export class WriteKey {
  #written = '';
  #key = '';

  /** @param write - all that makes it the write it is */
  for(write: unknown): string {
    const written = JSON.stringify(write);
    if (this.#key === '' || written !== this.#written) {
      this.#written = written;
      this.#key = randomKey();
    }
    return this.#key;
  }

  /** What is written from now on is a new write, even if it says the same. */
  renew(): void {
    this.#key = '';
  }
}

/** 128 random bits. Not `crypto.randomUUID`, which browsers have on https and loopback only. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
