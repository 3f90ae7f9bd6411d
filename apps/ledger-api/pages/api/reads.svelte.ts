import { untrack } from 'svelte';
import { ApiFailure } from './failure.ts';
import { live } from './live.svelte.ts';

/** What a page shows of something that is read for it. */
export class Reading<Value> {
  /** What came last; it stays while it is read anew, and after that has failed. */
  value = $state.raw<Value>();
  /** Why nothing came, the last time. */
  failure = $state.raw<ApiFailure>();
  isReading = $state(true);
  #turn = $state(0);
  #isBehind = false;

  /** Reads it again, whatever is on its way. */
  again(): void {
    this.#turn += 1;
  }

  /** Reads it again behind what is on its way: what changes more often than it can be read is shown all the same. */
  refresh(): void {
    if (this.isReading) this.#isBehind = true;
    else this.again();
  }

  /** For {@link reads}: one time that it is read. @returns gives it up */
  read(ask: (signal: AbortSignal) => Promise<Value>): () => void {
    // Looked at here, so that the effect runs anew when they change.
    for (const look of [() => this.#turn, () => live.returns]) look();
    const abort = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    this.isReading = true;
    this.#isBehind = false;
    ask(abort.signal).then(
      (value) => {
        if (abort.signal.aborted) return;
        this.value = value;
        this.failure = undefined;
        this.isReading = false;
        if (this.#isBehind) this.again();
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        this.isReading = false;
        if (!(error instanceof ApiFailure)) throw error;
        this.failure = error;
        if (error.retryAfter !== undefined)
          retry = setTimeout(() => {
            this.again();
          }, error.retryAfter * 1000);
      },
    );
    return () => {
      abort.abort();
      clearTimeout(retry);
    };
  }
}

/**
 * Reads something for a component, for as long as it stands: again whenever what `ask` looks at before it waits has changed,
 * when the server is there again after it was away, and after a while when the API says how long that is.
 * @param cause - looked at, so that it is also read anew when that changes, behind what is on its way
 */
export function reads<Value>(
  ask: (signal: AbortSignal) => Promise<Value>,
  cause: () => unknown = () => undefined,
): Reading<Value> {
  const reading = new Reading<Value>();
  $effect(() => reading.read(ask));
  let isFirst = true;
  $effect(() => {
    cause();
    if (!isFirst)
      untrack(() => {
        reading.refresh();
      });
    isFirst = false;
  });
  return reading;
}
