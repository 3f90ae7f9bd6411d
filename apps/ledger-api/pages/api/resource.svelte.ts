import { untrack } from 'svelte';
import { ApiFailure } from './client.ts';

/** The delay before a request is repeated that failed temporarily, without a Retry-After. */
const RETRY_SECONDS = 3;

/** Returns whether the server was unreachable, or failed. A restarting server may fail after its events are back. */
function isTemporary({ status }: ApiFailure): boolean {
  return status === 0 || (status >= 500 && status !== 501);
}

/**
 * Data that a component loads from the API while it is mounted, with the state of loading. It is loaded again when a state that
 * `request` reads synchronously changes, and after a delay when it failed temporarily.
 */
export class Resource<Value> {
  /** The last value; it stays while it is loaded again, and after a failure. */
  value = $state.raw<Value>();
  /** The failure of the last attempt. */
  failure = $state.raw<ApiFailure>();
  isLoading = $state(true);
  readonly #request: (signal: AbortSignal) => Promise<Value>;
  #abort = new AbortController();
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isStale = false;

  /** @param trigger - a state whose change refreshes the data after the request in flight */
  constructor(request: (signal: AbortSignal) => Promise<Value>, trigger: () => unknown = () => undefined) {
    this.#request = request;
    $effect(() => {
      this.reload();
      return () => {
        this.#cancel();
      };
    });
    let isFirst = true;
    $effect(() => {
      trigger();
      if (!isFirst) untrack(this.#refresh);
      isFirst = false;
    });
  }

  /** Loads, and aborts a request in flight. */
  readonly reload = (): void => {
    this.#cancel();
    const { signal } = (this.#abort = new AbortController());
    this.isLoading = true;
    this.#isStale = false;
    this.#request(signal).then(
      (value) => {
        if (signal.aborted) return;
        this.value = value;
        this.failure = undefined;
        this.isLoading = false;
        if (this.#isStale) this.reload();
      },
      (error: unknown) => {
        if (signal.aborted) return;
        this.isLoading = false;
        if (!(error instanceof ApiFailure)) throw error;
        this.failure = error;
        const seconds = error.retryAfter ?? (isTemporary(error) ? RETRY_SECONDS : undefined);
        if (seconds !== undefined) this.#retry = setTimeout(this.reload, seconds * 1000);
      },
    );
  };

  /** Loads again after the request in flight: data that changes faster than it loads is shown nevertheless. */
  readonly #refresh = (): void => {
    if (this.isLoading) this.#isStale = true;
    else this.reload();
  };

  #cancel(): void {
    this.#abort.abort();
    clearTimeout(this.#retry);
  }
}
