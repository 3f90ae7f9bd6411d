import type { CallOptions } from '../../../ports/ledger.port.js';

/** How long a write may be on its way to the disk after its deadline before its outcome is called unknown, in ms. */
const GRACE_MS = 1000;

/** What happens when time is up. */
export interface DeadlineActions {
  /** Asks for writes to be taken back, should they be in no block yet. */
  withdraw(tickets: readonly number[]): void;
  /** Nothing was heard of a write since it was asked back. */
  giveUp(ticket: number): void;
}

interface Watched {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** When its withdrawal was asked for. */
  askedAt: number | undefined;
  readonly unlisten: () => void;
}

/**
 * Deadlines and signals of writes under way. A write in no block yet is withdrawn; one that is being written is waited
 * for, since its end is a matter of milliseconds, and called unknown only when the disk says nothing. One timer serves all.
 */
export class CallDeadlines {
  readonly #actions: DeadlineActions;
  readonly #watched = new Map<number, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #due = Infinity;

  constructor(actions: DeadlineActions) {
    this.#actions = actions;
  }

  watch(ticket: number, { signal, deadline = Infinity }: CallOptions): void {
    const onAbort = (): void => {
      const watched = this.#watched.get(ticket);
      if (watched !== undefined) this.#ask([[ticket, watched]]);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const unlisten = (): void => signal?.removeEventListener('abort', onAbort);
    this.#watched.set(ticket, { deadline, askedAt: undefined, unlisten });
    this.#schedule(deadline);
  }

  forget(ticket: number): void {
    const watched = this.#watched.get(ticket);
    if (watched === undefined) return;
    watched.unlisten();
    this.#watched.delete(ticket);
    if (this.#watched.size === 0) this.#stop();
  }

  forgetAll(): void {
    for (const ticket of this.#watched.keys()) this.forget(ticket);
  }

  #schedule(at: number): void {
    if (at >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = at;
    this.#timer = setTimeout(
      () => {
        this.#sweep();
      },
      Math.min(Math.max(at - Date.now(), 0), 0x7fffffff),
    );
    this.#timer.unref();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#due = Infinity;
  }

  #sweep(): void {
    this.#due = Infinity;
    const now = Date.now();
    const late = [...this.#watched].filter(([, { askedAt, deadline }]) => askedAt === undefined && deadline <= now);
    const lost = [...this.#watched].filter(([, { askedAt }]) => askedAt !== undefined && askedAt + GRACE_MS <= now);
    if (late.length > 0) this.#ask(late);
    for (const [ticket] of lost) this.#actions.giveUp(ticket);
    for (const watched of this.#watched.values()) this.#schedule(dueTime(watched));
  }

  #ask(late: readonly (readonly [number, Watched])[]): void {
    const now = Date.now();
    for (const [, watched] of late) watched.askedAt = now;
    this.#actions.withdraw(late.map(([ticket]) => ticket));
    this.#schedule(now + GRACE_MS);
  }
}

function dueTime({ askedAt, deadline }: Watched): number {
  return askedAt === undefined ? deadline : askedAt + GRACE_MS;
}
