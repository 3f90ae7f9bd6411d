import { EventParser, type ServerEvent } from './event-parser.ts';

/** How it stands with a stream: `paused` while the tab is hidden, `lost` until it is there again. */
export type StreamState = 'connecting' | 'live' | 'lost' | 'paused';

export interface FollowOptions {
  readonly url: string;
  /** What each request brings along, such as who asks. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly onEvent: (event: ServerEvent) => void;
  readonly onState: (state: StreamState) => void;
  /** The server does not give this stream to whoever asks; it is not asked again. */
  readonly onRefused: (response: Response) => void;
  /** The id to go on from. */
  readonly after?: string;
  /** So long, in milliseconds, nothing may come until a stream counts as lost: more than its heartbeat. */
  readonly quiet?: number;
}

const QUIET_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
/** A server that is busy or about to end, or something in front of it that does not reach it: it is asked again. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** Programs can follow events, too: they have none of this, and nothing of theirs is hidden. */
const browser: Pick<Partial<Window>, 'document' | 'addEventListener' | 'removeEventListener'> = globalThis;

/**
 * Follows server-sent events by fetch, since an EventSource can send no header and would put a key into the URL. Comes back
 * after whatever ends it, each time later; ends while the tab is hidden, because a browser opens six connections to a server
 * and no more.
 *
 * @returns ends it
 */
export function followEvents(options: FollowOptions): () => void {
  const following = new Following(options);
  return () => {
    following.stop();
  };
}

class Following {
  readonly #options: FollowOptions;
  #lastId: string;
  #running: AbortController | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #firstWait = FIRST_WAIT_MS;
  #isOver = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#lastId = options.after ?? '';
    browser.document?.addEventListener('visibilitychange', this.#onVisibility);
    browser.addEventListener?.('online', this.#onOnline);
    this.#onVisibility();
  }

  stop(): void {
    this.#isOver = true;
    browser.document?.removeEventListener('visibilitychange', this.#onVisibility);
    browser.removeEventListener?.('online', this.#onOnline);
    this.#end();
  }

  readonly #onVisibility = (): void => {
    if (browser.document?.visibilityState === 'hidden') {
      this.#end();
      this.#options.onState('paused');
    } else if (this.#running === undefined) this.#start();
  };

  readonly #onOnline = (): void => {
    if (this.#again !== undefined) this.#start();
  };

  #start(): void {
    clearTimeout(this.#again);
    this.#again = undefined;
    const running = new AbortController();
    this.#running = running;
    if (this.#failures === 0) this.#options.onState('connecting');
    void this.#run(running).finally(() => {
      clearTimeout(this.#watch);
      // Ended on purpose, or another one has begun.
      if (this.#running !== running || this.#isOver) return;
      this.#running = undefined;
      this.#later();
    });
  }

  #end(): void {
    clearTimeout(this.#again);
    clearTimeout(this.#watch);
    this.#again = undefined;
    const running = this.#running;
    this.#running = undefined;
    running?.abort();
  }

  #later(): void {
    this.#options.onState('lost');
    const wait = Math.min(LONGEST_WAIT_MS, this.#firstWait * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    // Not all tabs at once.
    this.#again = setTimeout(
      () => {
        this.#start();
      },
      wait * (0.75 + Math.random() / 2),
    );
  }

  /** One request, until its answer ends. */
  async #run(running: AbortController): Promise<void> {
    const { url, headers } = this.#options;
    const goOn = this.#lastId === '' ? {} : { 'Last-Event-ID': this.#lastId };
    try {
      this.#expect(running);
      const response = await fetch(url, {
        headers: { Accept: 'text/event-stream', ...headers(), ...goOn },
        cache: 'no-store',
        signal: running.signal,
      });
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (response.ok && isStream && response.body !== null) await this.#read(response.body, running);
      else this.#judge(response);
    } catch {
      // Whatever it was, it is asked again.
    } finally {
      running.abort();
    }
  }

  #judge(response: Response): void {
    // The ledger was replaced by one that has not come so far: from its head on, then.
    if (response.status === 400 && this.#lastId !== '') this.#lastId = '';
    else if (!response.ok && !PASSING.has(response.status)) {
      this.stop();
      this.#options.onRefused(response);
    }
  }

  async #read(body: ReadableStream<Uint8Array>, running: AbortController): Promise<void> {
    const parser = new EventParser(this.#lastId);
    const decoder = new TextDecoder();
    const reader = body.getReader();
    this.#failures = 0;
    this.#options.onState('live');
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#running !== running) return;
      this.#expect(running);
      for (const event of parser.feed(decoder.decode(value, { stream: true }))) this.#options.onEvent(event);
      this.#lastId = parser.lastId;
      this.#firstWait = parser.retry ?? FIRST_WAIT_MS;
    }
  }

  /** A connection that has died without a word is ended when its time is over. */
  #expect(running: AbortController): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => {
      running.abort();
    }, this.#options.quiet ?? QUIET_MS);
  }
}
