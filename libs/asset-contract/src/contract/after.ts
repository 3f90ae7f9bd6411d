import type { MaybePromise } from './world-state.js';

/**
 * Goes on with a value when it is there: at once when it is no promise. Waiting for what is there already costs a call on
 * an embedded state more than the call itself.
 */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** Whether a value has to be waited for. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}
