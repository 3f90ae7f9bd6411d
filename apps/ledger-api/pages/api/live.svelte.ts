import { followEvents, type StreamState } from '#pages-kit';
import { ApiFailure, client, read, urlOf, type ChainInfo } from './client.ts';
import { present } from '../routes/route.ts';
import { session } from './session.svelte.ts';

/** The shortest interval between two updates, in milliseconds. */
const UPDATE_INTERVAL_MS = 1000;
const READINESS_INTERVAL_MS = 15_000;

/**
 * Follows the events of a channel while the page is visible. The events only trigger updates, which read the data from the API:
 * events that were missed while the server was unreachable or the tab hidden do not matter.
 */
class Live {
  state = $state<StreamState>('connecting');
  /** The head of the chain. */
  head = $state.raw<ChainInfo>();
  /** Increases when the chain has grown or the connection is back, at most once per second. */
  updates = $state(0);
  /** Why the ledger is not ready, or sends no events; empty if all is well. */
  warning = $state('');
  #updateTimer: ReturnType<typeof setTimeout> | undefined;
  #lastUpdate = 0;

  /** Connects to the event stream of the channel that is shown. @returns a function that disconnects */
  follow(): () => void {
    this.head = undefined;
    this.warning = '';
    const stop = followEvents({
      url: urlOf('/events'),
      headers: () => (session.key === '' ? {} : { 'x-api-key': session.key }),
      onEvent: (type) => {
        // The server closes the stream after an `error`, and answers the reconnect with the same reason.
        if (type === 'block') this.update();
      },
      onState: (state) => {
        this.state = state;
        if (state !== 'live') return;
        void this.#checkReadiness();
        this.update();
      },
      onRefused: (response, body) => {
        const { message } = new ApiFailure(response, body);
        this.state = 'paused';
        if (response.status === 401) session.expire(message);
        else {
          this.warning = message;
          this.update();
        }
      },
    });
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

  /** Updates at once, or when the interval since the last update is over. */
  update(): void {
    if (this.#updateTimer !== undefined) return;
    this.#updateTimer = setTimeout(
      () => {
        this.#updateTimer = undefined;
        this.#lastUpdate = performance.now();
        this.updates += 1;
        void this.#readHead();
      },
      Math.max(0, this.#lastUpdate + UPDATE_INTERVAL_MS - performance.now()),
    );
  }

  async #readHead(): Promise<void> {
    const { channel } = present;
    try {
      const head = await read(client.GET('/blockchain/info'));
      if (channel !== present.channel) return;
      const isFirst = this.head === undefined;
      this.head = head;
      // The name of the default channel is known from now on.
      if (isFirst) void this.#checkReadiness();
    } catch (error) {
      // The pages load with each update too, and show the failure.
      if (!(error instanceof ApiFailure)) throw error;
    }
  }

  async #checkReadiness(): Promise<void> {
    try {
      const response = await fetch(new URL('readyz', document.baseURI));
      const body = (await response.json()) as Readonly<Partial<Record<'channels' | 'trees', Record<string, string>>>>;
      const channel = present.channel === '' ? (this.head?.chainName ?? '') : present.channel;
      const tree = body.trees?.[channel];
      const fault = body.channels?.[channel] ?? (tree === undefined ? '' : `No new proofs: the tree is ${tree}`);
      this.warning = response.ok ? fault : new ApiFailure(response, body).message;
    } catch {
      // Unreachable: the event stream detects that.
    }
  }
}

export const live = new Live();
