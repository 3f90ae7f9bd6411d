import type { Socks5Error, Socks5SessionListener, Socks5Target } from '#socks5-protocol';
import type { AttemptContext } from './connect-attempt.js';
import { failureOfSocksError } from './failure-of-socks-error.js';
import { type Cancellable, ConnectCancelled } from './upstream.js';
import type { LinkedSession } from './upstream-link.js';

/** How long TCP may take, and then greeting and authentication. */
const LIMIT_MS = 3000;
/** How long a connection to a target may take. */
const TARGET_LIMIT_MS = 10_000;

/**
 * Finds out, on a connection of its own that nobody counts, whether a server greets us and lets us in, and with a target whether
 * it connects there. It tells the server's health.
 */
export class UpstreamCheck implements Socks5SessionListener, Cancellable {
  readonly #context: Pick<AttemptContext, 'link' | 'memory' | 'health'>;
  readonly #target: Socks5Target | undefined;
  readonly #over: () => void;
  #linked: LinkedSession | undefined;
  #started = 0;
  #milliseconds = 0;
  #isOver = false;

  /** @param over - called at the end, unless it was cancelled */
  constructor(
    context: Pick<AttemptContext, 'link' | 'memory' | 'health'>,
    target: Socks5Target | undefined,
    over: () => void,
  ) {
    this.#context = context;
    this.#target = target;
    this.#over = over;
  }

  begin(): void {
    const { link, memory } = this.#context;
    this.#started = performance.now();
    this.#linked = link.begin({
      plan: memory.carefulPlan(),
      limits: { connect: LIMIT_MS, handshake: this.#target === undefined ? LIMIT_MS : TARGET_LIMIT_MS },
      listener: this,
    });
  }

  cancel(): void {
    this.#linked?.session.cancel();
  }

  expire(): void {
    this.#linked?.session.expire();
  }

  /** @internal */
  ready(): void {
    const method = this.#linked?.session.method;
    this.#milliseconds = performance.now() - this.#started;
    if (method !== undefined) this.#context.memory.succeeded(method);
    if (this.#target === undefined) this.#passed();
    else this.#linked?.session.request(this.#target);
  }

  /** @internal */
  established(): boolean {
    this.#passed();
    return false;
  }

  /** @internal */
  failed(error: Socks5Error): void {
    const { memory, health, link } = this.#context;
    if (this.#isOver) return;
    if (memory.failed(memory.carefulPlan(), error)) {
      this.begin();
      return;
    }
    this.#isOver = true;
    link.failed();
    const failure = failureOfSocksError(error, memory.learned);
    if (failure instanceof ConnectCancelled) return;
    health.checkFailed(failure.category);
    this.#over();
  }

  #passed(): void {
    this.#isOver = true;
    this.#linked?.source.socket.destroy();
    this.#context.health.checked(this.#milliseconds);
    this.#over();
  }
}
