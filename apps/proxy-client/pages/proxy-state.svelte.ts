import { followEvents, serverTime, type StreamState } from '#pages-kit';
import {
  api,
  authorization,
  BASE,
  isTokenChanged,
  token,
  type Denial,
  type FailureList,
  type Grant,
  type ListenerStatus,
  type Problems,
  type Question,
  type RuleStatusList,
  type Stats,
  type UpstreamList,
} from './api.ts';
import { questionTone } from './question-tone.svelte.ts';
import { TrafficHistory, type Sample } from './traffic-history.ts';

/** A change of the proxy's state, as the dashboard lists it. */
export interface Change {
  readonly time: number;
  readonly text: string;
}

/** What the egress gate asks, what it refused, and what it allows for a time. */
interface Gate {
  readonly asks: readonly Question[];
  readonly denials: readonly Denial[];
  readonly grants: readonly Grant[];
}

/** The data of an `upstream` event; the state is null before it was configured, and after it was removed. */
interface UpstreamEvent {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

const POLL_INTERVAL_MS = 4000;
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CHANGES = 20;

/** The state of the proxy, updated by its events and by polling while the tab is visible. */
export class ProxyState {
  stream: StreamState = $state('connecting');
  needsToken = $state(false);
  /** Whether the proxy refused the token of this tab. */
  hasTokenChanged = $state(false);
  isStopping = $state(false);
  /** The time of the last event, in milliseconds. */
  lastEventAt: number | undefined = $state();
  stats: Stats | undefined = $state.raw();
  samples: readonly Sample[] = $state.raw([]);
  upstreams: UpstreamList | undefined = $state.raw();
  failures: FailureList | undefined = $state.raw();
  rules: RuleStatusList | undefined = $state.raw();
  /** Undefined until it is loaded, and if requests without a rule are not refused. */
  gate: Gate | undefined = $state.raw();
  listeners: readonly ListenerStatus[] | undefined = $state.raw();
  changes: readonly Change[] = $state.raw([]);
  error: string | undefined = $state();

  readonly #history = new TrafficHistory();
  #disconnect: () => void = () => undefined;
  #pollTimer: ReturnType<typeof setInterval> | undefined;
  #pendingLoads = 0;
  #isRequestingToken = false;

  constructor() {
    token.share(
      () => this.stats !== undefined && !this.needsToken,
      () => undefined,
    );
  }

  start(): void {
    this.needsToken = false;
    this.hasTokenChanged = false;
    this.#disconnect = followEvents({
      url: `${BASE}/events`,
      headers: authorization,
      onEvent: (type, data) => {
        this.#onEvent(type, data);
      },
      onState: (state) => {
        this.stream = state;
        // The stream closes before the process exits: a request then detects the exit.
        if (state === 'live' || (state === 'lost' && this.isStopping)) void this.load();
        if (state === 'live') void this.#loadHistory();
      },
      onRefused: (response) => {
        if (response.status === 401) void this.requestToken(response);
        else this.error = `The event stream is unavailable (status ${response.status}).`;
      },
      // The proxy sends an event every second.
      idleTimeout: 10_000,
    });
    this.#pollTimer = setInterval(() => {
      // On a slow connection, requests would pile up and exhaust the browser's connections to the server.
      if (this.stream === 'live' && this.#pendingLoads === 0) void this.load();
    }, POLL_INTERVAL_MS);
  }

  stop(): void {
    this.#disconnect();
    clearInterval(this.#pollTimer);
  }

  /**
   * Gets the token from another tab if this one has none, or shows the sign-in form.
   * @param refusal - the response with status 401
   */
  async requestToken(refusal: Response): Promise<void> {
    if (this.needsToken || this.#isRequestingToken) return;
    this.#isRequestingToken = true;
    this.stop();
    const isNewTab = token.value === undefined;
    this.hasTokenChanged = isTokenChanged(refusal);
    token.value = undefined;
    if (isNewTab && (await token.request()) !== undefined) this.start();
    else this.needsToken = true;
    this.#isRequestingToken = false;
  }

  /** @returns the error; undefined on success */
  async signIn(secret: string): Promise<string | undefined> {
    token.value = secret;
    try {
      const { response } = await api.GET('/listeners');
      if (response.ok) {
        this.start();
        return undefined;
      }
      token.value = undefined;
      return response.status === 401 ? 'The token is invalid.' : `The proxy responded with status ${response.status}.`;
    } catch {
      token.value = undefined;
      return 'The proxy is unreachable.';
    }
  }

  #onEvent(type: string, data: string): void {
    this.lastEventAt = serverTime();
    switch (type) {
      case 'stats':
        this.#onStats(JSON.parse(data) as Stats);
        break;
      case 'problems':
        this.#onProblems(JSON.parse(data) as Problems);
        break;
      case 'upstream':
        this.#addChange(changeOf(JSON.parse(data) as UpstreamEvent));
        void this.load();
        break;
      case 'ask':
        this.#addChange(`A request for ${(JSON.parse(data) as Question).target} waits for your answer`);
        questionTone.play();
        void this.load();
        break;
      case 'answered':
        void this.load();
        break;
      case 'reload':
        this.#addChange('The configuration was reloaded');
        void this.load();
        break;
      case 'end':
        this.isStopping = true;
    }
  }

  #onStats(stats: Stats): void {
    const previous = this.stats;
    if (previous !== undefined && previous.start_time !== stats.start_time) {
      this.#addChange('The proxy was restarted');
    }
    this.isStopping = false;
    this.stats = stats;
    this.samples = this.#history.add(serverTime() / 1000, stats);
  }

  /** Loads the last hour, also after the stream was interrupted. */
  async #loadHistory(): Promise<void> {
    try {
      const { data } = await api.GET('/history', { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
      if (data !== undefined) this.samples = this.#history.fill(data.samples);
    } catch {
      // The curves begin now. The event stream detects that the proxy is unreachable.
    }
  }

  /** Updates the counts of the last minute every second, and loads failures when there are new ones. */
  #onProblems({ last_minute: lastMinute, failures, rejections }: Problems): void {
    if (this.failures === undefined) return;
    this.failures = { ...this.failures, last_minute: lastMinute };
    if (failures.length + rejections.length > 0) void this.load();
  }

  #addChange(text: string): void {
    this.changes = [{ time: serverTime(), text }, ...this.changes].slice(0, MAX_CHANGES);
  }

  async #loadGate(signal: AbortSignal): Promise<Gate | undefined> {
    if (this.rules === undefined || !isGate(this.rules)) return undefined;
    const [asks, denials, grants] = await Promise.all([
      api.GET('/asks', { signal }),
      api.GET('/denials', { signal }),
      api.GET('/grants', { signal }),
    ]);
    if (asks.data === undefined || denials.data === undefined || grants.data === undefined) return this.gate;
    return { asks: asks.data.asks, denials: denials.data.denials, grants: grants.data.grants };
  }

  /** Loads what the events do not contain. The event stream detects that the proxy is unreachable. */
  async load(): Promise<void> {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    this.#pendingLoads += 1;
    try {
      const answers = await Promise.all([
        api.GET('/upstreams', { signal }),
        api.GET('/listeners', { signal }),
        api.GET('/failures', { signal }),
        api.GET('/rules', { signal }),
      ]);
      const refusal = answers.find(({ response }) => response.status === 401)?.response;
      if (refusal !== undefined) await this.requestToken(refusal);
      const [upstreams, listeners, failures, rules] = answers;
      this.upstreams = upstreams.data ?? this.upstreams;
      this.listeners = listeners.data?.listeners ?? this.listeners;
      this.failures = failures.data ?? this.failures;
      this.rules = rules.data ?? this.rules;
      this.gate = await this.#loadGate(signal);
    } catch {
      // A proxy that was stopping has exited.
      this.isStopping = false;
    } finally {
      this.#pendingLoads -= 1;
    }
  }
}

/** Returns whether requests may be refused or wait because no one has allowed them. */
function isGate({ rules, default: { to } }: RuleStatusList): boolean {
  return to === 'reject' || to === 'ask' || rules.some((rule) => rule.to === 'ask');
}

function changeOf({ name, to }: UpstreamEvent): string {
  return to === null ? `${name} was removed from the configuration` : `${name} is ${to}`;
}
