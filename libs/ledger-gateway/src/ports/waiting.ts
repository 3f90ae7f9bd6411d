import { setTimeout as delay } from 'node:timers/promises';
import type { CallOptions } from './ledger.port.js';

/**
 * Waits, at most until the call's deadline or signal.
 * @returns whether there is time left to go on
 */
export async function pause(milliseconds: number, { signal, deadline = Infinity }: CallOptions = {}): Promise<boolean> {
  const left = deadline - Date.now();
  if (left <= milliseconds) return false;
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
    return true;
  } catch {
    return false;
  }
}

/** A time between nothing and `base` doubled once an attempt, at most `most`: those that failed together try again apart. */
export function jittered(attempt: number, { base, most }: { readonly base: number; readonly most: number }): number {
  return Math.random() * Math.min(most, base * 2 ** attempt);
}

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

/** Whether the promise is fulfilled within that time. */
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
