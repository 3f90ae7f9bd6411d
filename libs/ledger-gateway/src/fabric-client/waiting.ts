import { setTimeout as delay } from 'node:timers/promises';

/** How long a caller waits. */
export interface TimeLimit {
  /** Aborts when the result is no longer needed. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch. */
  readonly deadline?: number | undefined;
}

/**
 * Waits, at most until the deadline or signal.
 * @returns whether there is time left to continue
 */
export async function pause(milliseconds: number, { signal, deadline = Infinity }: TimeLimit = {}): Promise<boolean> {
  const left = deadline - Date.now();
  if (left <= milliseconds) return false;
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
    return true;
  } catch {
    return false;
  }
}

/** Returns a delay with full jitter: between 0 and `base` doubled with each attempt, at most `most`. */
export function jittered(attempt: number, { base, most }: { readonly base: number; readonly most: number }): number {
  return Math.random() * Math.min(most, base * 2 ** attempt);
}

const LONGEST_TIMER_MS = 0x7fffffff;

/** Waits for work that cannot be cancelled, at most until the deadline or signal; then throws the result of `late`. */
export async function untilTime<T>(
  work: Promise<T>,
  { signal, deadline = Infinity }: TimeLimit,
  late: () => Error,
): Promise<T> {
  if (signal === undefined && deadline === Infinity) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    reject(late());
  };
  const timer = setTimeout(abort, Math.min(deadline - Date.now(), LONGEST_TIMER_MS));
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    // A later failure of the work must not become an unhandled rejection.
    work.catch(() => undefined);
  }
}

/** Returns whether the promise is fulfilled within that time. */
export async function isWithin(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(
    () => {
      late.resolve(false);
    },
    Math.max(0, milliseconds),
  );
  const isInTime = await Promise.race([promise.then(() => true), late.promise]);
  clearTimeout(timer);
  return isInTime;
}
