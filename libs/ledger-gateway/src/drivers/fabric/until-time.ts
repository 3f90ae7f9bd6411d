import type { CallOptions } from '../../ports/ledger.port.js';

const LONGEST_TIMER_MS = 0x7fffffff;

/** Waits for work that cannot be cancelled, at most until the call's deadline or signal; then throws what `late` gives. */
export async function untilTime<T>(
  work: Promise<T>,
  { signal, deadline = Infinity }: CallOptions,
  late: () => Error,
): Promise<T> {
  if (signal === undefined && deadline === Infinity) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => {
    reject(late());
  };
  const timer = setTimeout(giveUp, Math.min(deadline - Date.now(), LONGEST_TIMER_MS));
  signal?.addEventListener('abort', giveUp, { once: true });
  if (signal?.aborted === true) giveUp();
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
    // What the work comes to later concerns nobody any more.
    work.catch(() => undefined);
  }
}
