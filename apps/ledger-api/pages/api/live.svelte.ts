import { followEvents, type ServerEvent, type StreamState } from '#pages-kit';
import type { components } from '../../../../docs/openapi/ledger-api.js';
import { ApiFailure, API_ROOT, client, failureOf, unwrap } from './client.ts';
import { session } from './session.svelte.ts';

type AssetEvent = components['schemas']['AssetEvent'];

/** The head of the chain. */
export interface Head {
  readonly channel: string;
  readonly height: number;
  readonly hash: string;
}

/** The shortest interval between two updates, in milliseconds. */
const UPDATE_INTERVAL_MS = 1000;
const READINESS_INTERVAL_MS = 15_000;

/**
 * Follows the ledger's events while the page is visible. The events only trigger updates, which read the data from the API:
 * events that were missed while the server was unreachable or the tab hidden do not matter.
 */
class Live {
  state = $state<StreamState>('connecting');
  head = $state.raw<Head>();
  /** Increases when the chain has grown, at most once per second. */
  updates = $state(0);
  /** Increases when the connection to the server is back: anything may have changed meanwhile. */
  reconnects = $state(0);
  /** Why the ledger is not ready, or sends no events; empty if all is well. */
  warning = $state('');
  readonly #watchers = new Map<string, Set<() => void>>();
  /** Watched assets that have changed since the last update. */
  readonly #changed = new Set<string>();
  #updateTimer: ReturnType<typeof setTimeout> | undefined;
  #lastUpdate = 0;

  /** Connects to the event stream. @returns a function that disconnects */
  follow(): () => void {
    let wasConnected = false;
    const stop = followEvents({
      url: `${API_ROOT}/events`,
      headers: () => (session.key === '' ? {} : { 'x-api-key': session.key }),
      onEvent: (event) => {
        this.#onEvent(event);
      },
      onState: (state) => {
        this.state = state;
        if (state !== 'live') return;
        if (wasConnected) {
          this.reconnects += 1;
          void this.#checkReadiness();
        }
        wasConnected = true;
        this.#scheduleUpdate();
      },
      onRefused: (response) => {
        void this.#onRefused(response);
      },
    });
    void this.#checkReadiness();
    const readinessTimer = setInterval(() => {
      if (this.state === 'live') void this.#checkReadiness();
    }, READINESS_INTERVAL_MS);
    return () => {
      stop();
      clearInterval(readinessTimer);
      clearTimeout(this.#updateTimer);
      this.#updateTimer = undefined;
    };
  }

  /** Calls back once per update in which transactions changed the asset. @returns a function that stops it */
  watch(asset: string, onChange: () => void): () => void {
    const watchers = this.#watchers.get(asset) ?? new Set();
    this.#watchers.set(asset, watchers.add(onChange));
    return () => {
      watchers.delete(onChange);
      if (watchers.size === 0) this.#watchers.delete(asset);
    };
  }

  #onEvent({ type, data }: ServerEvent): void {
    if (type === 'block') this.#scheduleUpdate();
    // The server closes the stream after an `error`, and answers the reconnect with the same reason.
    else if (type !== 'error' && this.#watchers.size > 0) {
      const { assetId } = JSON.parse(data) as AssetEvent;
      // The `block` event that follows schedules the update.
      if (this.#watchers.has(assetId)) this.#changed.add(assetId);
    }
  }

  /** Updates at once, or when the interval since the last update is over. */
  #scheduleUpdate(): void {
    if (this.#updateTimer !== undefined) return;
    this.#updateTimer = setTimeout(
      () => {
        this.#updateTimer = undefined;
        this.#lastUpdate = performance.now();
        this.updates += 1;
        this.#notifyWatchers();
        void this.#readHead();
      },
      Math.max(0, this.#lastUpdate + UPDATE_INTERVAL_MS - performance.now()),
    );
  }

  #notifyWatchers(): void {
    for (const asset of this.#changed) {
      this.#watchers.get(asset)?.forEach((onChange) => {
        onChange();
      });
    }
    this.#changed.clear();
  }

  async #readHead(): Promise<void> {
    try {
      const { body } = await unwrap(client.GET('/blockchain/info'));
      const { chainName: channel, height, blockHash: hash } = body.data;
      this.head = { channel, height, hash };
    } catch (error) {
      // The pages load with each update too, and show the failure.
      if (!(error instanceof ApiFailure)) throw error;
    }
  }

  async #checkReadiness(): Promise<void> {
    try {
      const response = await fetch(new URL('readyz', document.baseURI));
      this.warning = response.ok ? '' : failureOf(response, await response.json()).message;
    } catch {
      // Unreachable: the event stream detects that.
    }
  }

  async #onRefused(response: Response): Promise<void> {
    const body: unknown = await response.json().catch(() => undefined);
    const { message } = failureOf(response, body);
    this.state = 'paused';
    if (response.status === 401) session.signOut(message);
    else {
      this.warning = message;
      this.#scheduleUpdate();
    }
  }
}

export const live = new Live();
