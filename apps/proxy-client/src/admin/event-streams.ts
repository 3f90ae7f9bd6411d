import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FailureList, Problems } from './api/activity.responses.js';
import type { Question } from './api/gate.responses.js';
import type { UpstreamStatus } from './api/upstreams.responses.js';
import type { RemoteView } from './remote-view.js';

const MAX_READERS = 32;
/** The bytes that may be queued for a reader, in addition to the kernel's buffers. */
const MAX_QUEUED_BYTES = 65_536;
const INTERVAL_MS = 1000;
/** The time in which readers must read the last event. */
const END_TIMEOUT_MS = 1000;

/** The maximum number of failures in one event. */
const MAX_FAILURES = 50;

/** The methods of the {@link RemoteView} that the events are made of. */
export type ObservedView = Pick<RemoteView, 'stats' | 'upstreams' | 'failures' | 'reloadedAt' | 'asks' | 'watched'>;

/** The state that is compared to find changes. */
interface Observed {
  readonly states: ReadonlyMap<string, string>;
  readonly reloadedAt: number | undefined;
  /** The number of the latest failure. */
  readonly latest: number;
  /** The open questions, by their ids. */
  readonly asks: ReadonlyMap<string, Question>;
}

/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): `stats` and `problems` once a second, `upstream`
 * when one has changed its state, `ask` and `answered` when a request waits for an answer and when it has ended, `reload` after a reload of the configuration, `end` before the proxy exits. All readers get the same bytes; the
 * connection of a reader that does not read them is destroyed.
 */
export class EventStreams {
  readonly #view: ObservedView;
  readonly #interval: number;
  readonly #readers = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;
  #isQuerying = false;
  #hasEnded = false;
  #observed: Observed | undefined;
  #id = 0;

  /** @param interval - milliseconds between two `stats` events */
  constructor(view: ObservedView, interval = INTERVAL_MS) {
    this.#view = view;
    this.#interval = interval;
  }

  /** The number of readers. */
  get size(): number {
    return this.#readers.size;
  }

  /** Adds a reader, to which the events are written; returns false if there are too many or the proxy is about to exit. */
  add(response: ServerResponse): boolean {
    if (this.#hasEnded || this.#readers.size >= MAX_READERS) return false;
    this.#readers.add(response);
    this.#reportReaders();
    response.on('close', () => {
      this.#remove(response);
    });
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    response.flushHeaders();
    this.#timer ??= setInterval(() => void this.#query(), this.#interval);
    void this.#query();
    return true;
  }

  /** Closes the streams of requests that are no longer allowed; a browser reconnects and gets the refusal. */
  closeUnless(isAllowed: (request: IncomingMessage) => boolean): void {
    for (const response of this.#readers) if (!isAllowed(response.req)) response.end();
  }

  /** Sends `end`, and resolves when all readers have received it and are closed, or after a timeout. */
  async close(): Promise<void> {
    this.#hasEnded = true;
    this.#send('end', {});
    const closed = [...this.#readers].map(async (response) => {
      response.end();
      await once(response, 'close');
    });
    await Promise.race([Promise.all(closed), delay(END_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #query(): Promise<void> {
    if (this.#isQuerying) return;
    this.#isQuerying = true;
    try {
      const view = this.#view;
      // A new reader loads GET /failures, so that only later ones are events.
      const failures = view.failures(this.#observed?.latest ?? Number.MAX_SAFE_INTEGER);
      const answers = [view.stats(), view.upstreams(), failures, view.reloadedAt(), view.asks()] as const;
      const [stats, { upstreams }, news, reloaded, { asks }] = await Promise.all(answers);
      const observed = {
        states: new Map(upstreams.map(({ name, state }) => [name, state])),
        reloadedAt: reloaded?.getTime(),
        latest: news.latest,
        asks: new Map(asks.map((each) => [each.id, each])),
      };
      if (this.#hasEnded) return;
      this.#send('stats', stats);
      this.#send('problems', problemsOf(upstreams, news));
      this.#sendQuestions(this.#observed?.asks ?? new Map(), observed.asks);
      this.#sendChanges(observed);
      this.#observed = observed;
    } catch {
      // The proxy does not answer; the next query may succeed.
    } finally {
      this.#isQuerying = false;
    }
  }

  #sendChanges({ states, reloadedAt }: Observed): void {
    const before = this.#observed;
    if (before === undefined) return;
    for (const [name, state] of states) {
      const from = before.states.get(name);
      if (from !== state) this.#send('upstream', { name, from: from ?? null, to: state });
    }
    for (const [name, from] of before.states) {
      if (!states.has(name)) this.#send('upstream', { name, from, to: null });
    }
    if (reloadedAt !== undefined && reloadedAt !== before.reloadedAt) {
      this.#send('reload', { at: new Date(reloadedAt).toISOString() });
    }
  }

  /** A new reader also gets the questions that are open. */
  #sendQuestions(before: Observed['asks'], asks: Observed['asks']): void {
    for (const [id, question] of asks) if (!before.has(id)) this.#send('ask', question);
    for (const [id, { target }] of before) if (!asks.has(id)) this.#send('answered', { id, target });
  }

  #send(event: string, data: object): void {
    const text = `id: ${(this.#id += 1)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const response of this.#readers) {
      if (response.writableEnded) continue;
      if (response.writableLength > MAX_QUEUED_BYTES) response.destroy();
      else response.write(text);
    }
  }

  #reportReaders(): void {
    this.#view.watched(this.#readers.size).catch(() => undefined);
  }

  #remove(response: ServerResponse): void {
    this.#readers.delete(response);
    this.#reportReaders();
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#observed = undefined;
  }
}

function problemsOf(upstreams: readonly UpstreamStatus[], news: FailureList): Problems {
  return {
    down: upstreams.flatMap(({ name, down_since: since }) => (since === null ? [] : [{ name, since }])),
    last_minute: news.last_minute,
    failures: news.failures.slice(0, MAX_FAILURES),
    rejections: news.rejections.slice(0, MAX_FAILURES),
  };
}

/** The injection token of the {@link EventStreams}. */
export const EVENT_STREAMS = Symbol('EventStreams');
