import { untrack } from 'svelte';
import { ApiFailure } from './client.ts';

/** The delay before a request is repeated that failed temporarily, without a Retry-After. */
const RETRY_SECONDS = 3;

/** Returns whether the server was unreachable, or failed. A restarting server may fail after its events are back. */
function isTemporary({ status }: ApiFailure): boolean {
  return status === 0 || (status >= 500 && status !== 501);
}

/** Data that a component loads from the API, with the state of loading. */
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

  constructor(request: (signal: AbortSignal) => Promise<Value>) {
    this.#request = request;
  }

  /** Loads, and aborts a request in flight. */
  reload(): void {
    this.cancel();
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
        if (seconds !== undefined) this.#retry = setTimeout(this.reload.bind(this), seconds * 1000);
      },
    );
  }

  /** Loads again after the request in flight: data that changes faster than it loads is shown nevertheless. */
  refresh(): void {
    if (this.isLoading) this.#isStale = true;
    else this.reload();
  }

  /** Aborts a request in flight. */
  cancel(): void {
    this.#abort.abort();
    clearTimeout(this.#retry);
  }
}

/**
 * Loads data while a component is mounted. Loads it again when a state that `request` reads synchronously changes, and after a
 * delay when it failed temporarily.
 * @param trigger - a state whose change refreshes the data after the request in flight
 */
export function resource<Value>(
  request: (signal: AbortSignal) => Promise<Value>,
  trigger: () => unknown = () => undefined,
): Resource<Value> {
  const loaded = new Resource<Value>(request);
  $effect(() => {
    loaded.reload();
    return () => {
      loaded.cancel();
    };
  });
  let isFirst = true;
  $effect(() => {
    trigger();
    if (!isFirst) {
      untrack(() => {
        loaded.refresh();
      });
    }
    isFirst = false;
  });
  return loaded;
}
