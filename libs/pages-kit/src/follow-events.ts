import { readServerTime } from './server-clock.ts';

/** The state of a stream: `paused` while the tab is hidden, `lost` until it is connected again. */
export type StreamState = 'connecting' | 'live' | 'lost' | 'paused';

export interface FollowOptions {
  readonly url: string;
  /** Returns the headers of each request, such as credentials. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly onEvent: (type: string, data: string) => void;
  readonly onState: (state: StreamState) => void;
  /** Called when the server refuses the stream for good; no further request is made. */
  readonly onRefused: (response: Response, body: unknown) => void;
  /** Milliseconds without any byte after which a stream counts as lost: more than the server's heartbeat. */
  readonly idleTimeout?: number;
}

const IDLE_TIMEOUT_MS = 40_000;
const MIN_DELAY_MS = 500;
const MAX_DELAY_MS = 8000;
/** Statuses of a busy or stopping server, or of a proxy that cannot reach it. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** Undefined members outside browsers, where nothing is ever hidden. */
const browser: Pick<Partial<Window>, 'document' | 'addEventListener'> = globalThis;

/**
 * Follows server-sent events with fetch, because an EventSource cannot send headers and would need the key in the URL.
 * Reconnects with exponential backoff, and disconnects while the tab is hidden: a browser opens at most six connections to a
 * server. Missed events are not requested again: after each connect, the pages load everything.
 *
 * @returns a function that closes the stream
 */
export function followEvents(options: FollowOptions): () => void {
  const { url, headers, onEvent, onState, onRefused, idleTimeout = IDLE_TIMEOUT_MS } = options;
  const stopped = new AbortController();
  /** Aborts the request or the delay in progress. */
  let step = new AbortController();
  let failures = 0;
  let minDelay = MIN_DELAY_MS;

  function skip(): void {
    step.abort();
  }

  function stop(): void {
    stopped.abort();
    skip();
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      step = new AbortController();
      if (browser.document?.visibilityState === 'hidden') {
        onState('paused');
        await delay(step.signal);
        continue;
      }
      if (failures === 0) onState('connecting');
      // A network error or a timeout is retried like every other end of the stream.
      await request().catch(() => undefined);
      if (step.signal.aborted) continue;
      onState('lost');
      const backoff = Math.min(MAX_DELAY_MS, minDelay * 2 ** Math.min(failures, 10));
      failures += 1;
      // Jitter, so that tabs do not reconnect at the same time.
      await delay(step.signal, backoff * (0.75 + Math.random() / 2));
    }
  }

  /** Makes one request and reads its response to the end. */
  async function request(): Promise<void> {
    const idle = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restartTimer = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        idle.abort();
      }, idleTimeout);
    };
    try {
      restartTimer();
      const response = await fetch(url, {
        headers: { Accept: 'text/event-stream', ...headers() },
        cache: 'no-store',
        signal: AbortSignal.any([step.signal, idle.signal]),
      });
      readServerTime(response);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (response.ok && isStream && response.body !== null) await read(response.body, restartTimer);
      else if (!response.ok && !RETRYABLE.has(response.status)) {
        const body: unknown = await response.json().catch(() => undefined);
        if (step.signal.aborted) return;
        stop();
        onRefused(response, body);
      }
    } finally {
      clearTimeout(timer);
      idle.abort();
    }
  }

  async function read(body: ReadableStream<Uint8Array>, onBytes: () => void): Promise<void> {
    failures = 0;
    onState('live');
    for await (const { event = 'message', data, retry } of readEvents(body)) {
      if (step.signal.aborted) return;
      onBytes();
      if (retry !== undefined) minDelay = Number(retry);
      if (data !== undefined) onEvent(event, data);
    }
  }

  browser.document?.addEventListener('visibilitychange', skip, { signal: stopped.signal });
  // The connection of the network before is dead.
  browser.addEventListener?.('online', skip, { signal: stopped.signal });
  void run();
  return stop;
}

/** The fields of an event; a comment has none. */
type EventFields = Partial<Record<'event' | 'data' | 'retry', string>>;

/** Reads server-sent events and comments (https://html.spec.whatwg.org/multipage/server-sent-events.html) to the end of a body. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<EventFields> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    // The programs end lines with a line feed only.
    const events = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const fields = event.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line)?.slice(1) ?? []);
      yield Object.fromEntries(fields) as EventFields;
    }
  }
}

/** Waits until a signal is aborted, or some milliseconds have passed. */
async function delay(signal: AbortSignal, milliseconds?: number): Promise<void> {
  await new Promise<unknown>((resolve) => {
    signal.addEventListener('abort', resolve);
    if (milliseconds !== undefined) setTimeout(resolve, milliseconds);
  });
}
