import type { ServerResponse } from 'node:http';
import { presentStats } from './monitoring.presenter.js';
import type { ProxyView } from './proxy-view.js';

/** So many may follow the events at once. */
const MAX_READERS = 32;
/** So many bytes may wait for a reader; the kernel holds some more. */
const MAX_WAITING = 65_536;
const EVERY_MS = 1000;

/** What is looked at for changes. */
interface Seen {
  readonly states: ReadonlyMap<string, string>;
  readonly reloadedAt: number | undefined;
}

/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): `stats` once a second, `upstream` when
 * one has come into another state, `reload` when the configuration was read anew, `end` when the proxy is about to end. All
 * readers get the same bytes; one that does not read them is cut.
 */
export class EventStreams {
  readonly #view: ProxyView;
  readonly #every: number;
  readonly #readers = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #hasEnded = false;
  #seen: Seen | undefined;
  #id = 0;

  /** @param every - milliseconds between two events */
  constructor(view: ProxyView, every = EVERY_MS) {
    this.#view = view;
    this.#every = every;
  }

  /** How many follow. */
  get size(): number {
    return this.#readers.size;
  }

  /**
   * Takes a reader; its answer is written here from now on.
   *
   * @returns whether there is room for it
   */
  add(response: ServerResponse): boolean {
    if (this.#hasEnded || this.#readers.size >= MAX_READERS) return false;
    this.#readers.add(response);
    response.on('close', () => {
      this.#leave(response);
    });
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    response.flushHeaders();
    this.#timer ??= setInterval(() => void this.#look(), this.#every);
    void this.#look();
    return true;
  }

  /** The proxy is about to end. */
  end(): void {
    this.#hasEnded = true;
    this.#send('end', {});
    for (const response of this.#readers) response.end();
  }

  async #look(): Promise<void> {
    // An answer that is late is not asked for twice.
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const view = this.#view;
      const asked = [view.snapshot(), view.upstreams(), view.reloadedAt()] as const;
      const [stats, { servers }, reloaded] = await Promise.all(asked);
      const seen = {
        states: new Map(servers.map(({ name, state }) => [name, state])),
        reloadedAt: reloaded?.getTime(),
      };
      this.#send('stats', presentStats(stats));
      this.#tellChanges(seen);
      this.#seen = seen;
    } catch {
      // The proxy cannot say: it ends, or the next event does.
    } finally {
      this.#isLooking = false;
    }
  }

  #tellChanges({ states, reloadedAt }: Seen): void {
    const before = this.#seen;
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

  #send(event: string, data: object): void {
    const text = `id: ${(this.#id += 1)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const response of this.#readers) {
      if (response.writableLength > MAX_WAITING) response.destroy();
      else response.write(text);
    }
  }

  #leave(response: ServerResponse): void {
    this.#readers.delete(response);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#seen = undefined;
  }
}

/** Token of the {@link EventStreams}. */
export const EVENT_STREAMS = Symbol('EventStreams');
