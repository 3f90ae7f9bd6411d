import type { WriteRequest } from './messages.js';

/** Writes that wait for a block, in the order in which they came; those put back come first. */
export class RequestQueue {
  #waiting: WriteRequest[] = [];
  #next = 0;
  #putBack: WriteRequest[] = [];

  get length(): number {
    return this.#waiting.length - this.#next + this.#putBack.length;
  }

  /** How many were put back since the last {@link reopen}. */
  get putBackCount(): number {
    return this.#putBack.length;
  }

  add(requests: readonly WriteRequest[]): void {
    for (const request of requests) this.#waiting.push(request);
  }

  /** The next one, without those that were put back. */
  take(): WriteRequest | undefined {
    const request = this.#waiting[this.#next];
    if (request === undefined) return undefined;
    this.#next += 1;
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    return request;
  }

  /** Keeps a write for a later block. */
  putBack(request: WriteRequest): void {
    this.#putBack.push(request);
  }

  /** Lets those that were put back be taken again, before all others. */
  reopen(): void {
    if (this.#putBack.length === 0) return;
    this.#waiting = [...this.#putBack, ...this.#waiting.slice(this.#next)];
    this.#next = 0;
    this.#putBack = [];
  }

  /** Takes out all. */
  clear(): WriteRequest[] {
    this.reopen();
    const all = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    return all;
  }
}
