import { setTimeout as delay } from 'node:timers/promises';

/** How long a retry may wait. */
export interface TimeLimit {
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadline?: number;
}

/**
 * Waits, unless the deadline or the signal comes first.
 * @returns whether there is time left to continue
 */
export async function pause(milliseconds: number, { signal, deadline = Infinity }: TimeLimit = {}): Promise<boolean> {
  if (deadline - Date.now() <= milliseconds) return false;
  return delay(milliseconds, true, signal === undefined ? {} : { signal }).catch(() => false);
}

/** Returns a delay with full jitter: between 0 and `base` doubled with each attempt, at most `most`. */
export function jittered(attempt: number, { base, most }: { readonly base: number; readonly most: number }): number {
  return Math.random() * Math.min(most, base * 2 ** attempt);
}

/** Returns whether the promise is fulfilled within that time. */
export async function isWithin(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  try {
    return await Promise.race([promise.then(() => true), delay(milliseconds, false, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}
