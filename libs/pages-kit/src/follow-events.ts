/** The state of a stream: `paused` while the tab is hidden, `lost` until it is connected again. */
export type StreamState = 'connecting' | 'live' | 'lost' | 'paused';

export interface FollowOptions {
  readonly url: string;
  /** Returns the headers of each request, such as credentials. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly onEvent: (type: string, data: string) => void;
  readonly onState: (state: StreamState) => void;
  /** Called when the server refuses the stream for good; no further request is made. */
  readonly onRefused: (response: Response) => void;
  /** Milliseconds without any byte after which a stream counts as lost: more than the server's heartbeat. */
  readonly idleTimeout?: number;
}

const IDLE_TIMEOUT_MS = 40_000;
const MIN_DELAY_MS = 500;
const MAX_DELAY_MS = 8000;
/** Statuses of a busy or stopping server, or of a proxy that cannot reach it. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** Undefined members outside browsers, where nothing is ever hidden. */
const browser: Pick<Partial<Window>, 'document' | 'addEventListener' | 'removeEventListener'> = globalThis;

/**
 * Follows server-sent events with fetch, because an EventSource cannot send headers and would need the key in the URL.
 * Reconnects with exponential backoff, and disconnects while the tab is hidden: a browser opens at most six connections to a
 * server. Missed events are not requested again: after each connect, the pages load everything.
 *
 * @returns a function that closes the stream
 */
export function followEvents(options: FollowOptions): () => void {
  const follower = new EventFollower(options);
  return () => {
    follower.stop();
  };
}

class EventFollower {
  readonly #options: FollowOptions;
  #request: AbortController | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #minDelay = MIN_DELAY_MS;
  #isStopped = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    browser.document?.addEventListener('visibilitychange', this.#onVisibility);
    browser.addEventListener?.('online', this.#onOnline);
    this.#onVisibility();
  }

  stop(): void {
    this.#isStopped = true;
    browser.document?.removeEventListener('visibilitychange', this.#onVisibility);
    browser.removeEventListener?.('online', this.#onOnline);
    this.#disconnect();
  }

  readonly #onVisibility = (): void => {
    if (browser.document?.visibilityState === 'hidden') {
      this.#disconnect();
      this.#options.onState('paused');
    } else if (this.#request === undefined) this.#connect();
  };

  readonly #onOnline = (): void => {
    if (this.#retryTimer !== undefined) this.#connect();
  };

  #connect(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    const request = new AbortController();
    this.#request = request;
    if (this.#failures === 0) this.#options.onState('connecting');
    void this.#run(request).finally(() => {
      clearTimeout(this.#idleTimer);
      // Disconnected on purpose, or replaced by a newer request.
      if (this.#request !== request || this.#isStopped) return;
      this.#request = undefined;
      this.#retryLater();
    });
  }

  #disconnect(): void {
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#idleTimer);
    this.#retryTimer = undefined;
    const request = this.#request;
    this.#request = undefined;
    request?.abort();
  }

  #retryLater(): void {
    this.#options.onState('lost');
    const delay = Math.min(MAX_DELAY_MS, this.#minDelay * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    // Jitter, so that tabs do not reconnect at the same time.
    this.#retryTimer = setTimeout(
      () => {
        this.#connect();
      },
      delay * (0.75 + Math.random() / 2),
    );
  }

  /** Makes one request and reads its response to the end. */
  async #run(request: AbortController): Promise<void> {
    const { url, headers, onRefused } = this.#options;
    try {
      this.#restartIdleTimer(request);
      const response = await fetch(url, {
        headers: { Accept: 'text/event-stream', ...headers() },
        cache: 'no-store',
        signal: request.signal,
      });
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (response.ok && isStream && response.body !== null) await this.#read(response.body, request);
      else if (!response.ok && !RETRYABLE.has(response.status)) {
        this.stop();
        onRefused(response);
      }
    } catch {
      // A network error or a timeout: retried like every other end of the stream.
    } finally {
      request.abort();
    }
  }

  async #read(body: ReadableStream<Uint8Array>, request: AbortController): Promise<void> {
    const decoder = new TextDecoder();
    const reader = body.getReader();
    let text = '';
    this.#failures = 0;
    this.#options.onState('live');
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#request !== request) return;
      this.#restartIdleTimer(request);
      // The programs end lines with a line feed only.
      const events = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) this.#dispatch(event);
    }
  }

  /** Handles an event or a comment (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
  #dispatch(text: string): void {
    const fields = text.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line)?.slice(1) ?? []);
    const { event = 'message', data, retry } = Object.fromEntries(fields) as Partial<Record<string, string>>;
    if (retry !== undefined) this.#minDelay = Number(retry);
    if (data !== undefined) this.#options.onEvent(event, data);
  }

  #restartIdleTimer(request: AbortController): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      request.abort();
    }, this.#options.idleTimeout ?? IDLE_TIMEOUT_MS);
  }
}
