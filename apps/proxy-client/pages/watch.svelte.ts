import { followEvents, type ServerEvent, type StreamState } from '#pages-kit';
import {
  api,
  authorization,
  BASE,
  token,
  type FailureEntry,
  type ListenerStatus,
  type Stats,
  type UpstreamList,
} from './api.ts';
import { HistoryKeeper, type History } from './history.ts';

/** Something that was another way before. */
export interface Change {
  readonly time: number;
  readonly text: string;
  readonly kind: 'good' | 'bad' | 'neutral';
}

/** What an upstream's coming into another state is told as. */
interface Move {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

const ASK_EVERY_MS = 4000;
/** What has no answer by then is given up. */
const PATIENCE_MS = 10_000;
const CHANGES_SHOWN = 20;

/** What the proxy tells of itself, kept up to date while somebody looks. */
export class ProxyWatch {
  state: StreamState = $state('connecting');
  needsToken = $state(false);
  isEnding = $state(false);
  /** When the proxy last said something, in milliseconds. */
  heardAt: number | undefined = $state();
  stats: Stats | undefined = $state.raw();
  history: History = $state.raw(new HistoryKeeper().history);
  upstreams: UpstreamList | undefined = $state.raw();
  failures: readonly FailureEntry[] | undefined = $state.raw();
  listeners: readonly ListenerStatus[] | undefined = $state.raw();
  changes: readonly Change[] = $state.raw([]);
  /** What cannot be shown, and why. */
  fault: string | undefined = $state();

  readonly #keeper = new HistoryKeeper();
  #stop: () => void = () => undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Questions that are on their way. */
  #pending = 0;

  start(): void {
    this.needsToken = false;
    this.#stop = followEvents({
      url: `${BASE}/events`,
      headers: authorization,
      onEvent: (event) => {
        this.#take(event);
      },
      onState: (state) => {
        this.state = state;
        if (state === 'live') void this.#ask();
        // The stream ends before the proxy does: this finds out when it has.
        else if (state === 'lost' && this.isEnding) void this.#askForListeners();
      },
      onRefused: ({ status }) => {
        if (status === 401) this.askForToken();
        else this.fault = `The events cannot be followed (status ${status}).`;
      },
      // One comes every second.
      quiet: 10_000,
    });
    this.#timer = setInterval(() => {
      // Over a slow line questions would pile up, and use up the connections that a browser opens to a server.
      if (this.state === 'live' && this.#pending === 0) void this.#ask();
    }, ASK_EVERY_MS);
  }

  stop(): void {
    this.#stop();
    clearInterval(this.#timer);
  }

  askForToken(): void {
    this.stop();
    token.value = undefined;
    this.needsToken = true;
  }

  /** @returns what is wrong with a token */
  async signIn(given: string): Promise<string | undefined> {
    token.value = given;
    try {
      const { response } = await api.GET('/listeners');
      if (response.ok) {
        this.start();
        return undefined;
      }
      token.value = undefined;
      return response.status === 401 ? 'This is not the token.' : `The proxy answered ${response.status}.`;
    } catch {
      token.value = undefined;
      return 'The proxy does not answer.';
    }
  }

  #take({ type, data }: ServerEvent): void {
    this.heardAt = Date.now();
    switch (type) {
      case 'stats':
        this.#takeStats(JSON.parse(data) as Stats);
        break;
      case 'upstream':
        this.#takeMove(JSON.parse(data) as Move);
        void this.#ask();
        break;
      case 'reload':
        this.#note('The configuration was reloaded', 'neutral');
        void this.#ask();
        break;
      case 'end':
        this.isEnding = true;
    }
  }

  #takeStats(stats: Stats): void {
    const before = this.stats;
    if (before !== undefined && before.start_time !== stats.start_time)
      this.#note('The proxy was started anew', 'neutral');
    this.isEnding = false;
    this.stats = stats;
    this.history = this.#keeper.add(Date.now() / 1000, stats);
    if (before !== undefined && before.failed_requests !== stats.failed_requests) void this.#askForFailures();
  }

  #takeMove({ name, to }: Move): void {
    if (to === 'up') this.#note(`${name} is up`, 'good');
    else if (to === 'down') this.#note(`${name} is down`, 'bad');
    else if (to === null) this.#note(`${name} is no longer configured`, 'neutral');
    else this.#note(`${name} is ${to}`, 'neutral');
  }

  #note(text: string, kind: Change['kind']): void {
    this.changes = [{ time: Date.now(), text, kind }, ...this.changes].slice(0, CHANGES_SHOWN);
  }

  async #ask(): Promise<void> {
    await Promise.all([this.#askForUpstreams(), this.#askForListeners(), this.#askForFailures()]);
  }

  async #askForUpstreams(): Promise<void> {
    const { data } = await this.#answer((signal) => api.GET('/upstreams', { signal }));
    if (data !== undefined) this.upstreams = data;
  }

  async #askForListeners(): Promise<void> {
    const { data } = await this.#answer((signal) => api.GET('/listeners', { signal }));
    if (data !== undefined) this.listeners = data.listeners;
  }

  async #askForFailures(): Promise<void> {
    const { data } = await this.#answer((signal) => api.GET('/failures', { signal }));
    if (data !== undefined) this.failures = data.failures;
  }

  /** Nothing when the proxy does not answer: the stream of its events says so, too. One that was about to end has done so. */
  async #answer<Answer extends { readonly response: Response }>(
    ask: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer | { readonly data?: undefined }> {
    this.#pending += 1;
    try {
      const answer = await ask(AbortSignal.timeout(PATIENCE_MS));
      if (answer.response.status === 401 && !this.needsToken) this.askForToken();
      return answer;
    } catch {
      this.isEnding = false;
      return {};
    } finally {
      this.#pending -= 1;
    }
  }
}
