import { followEvents, type ServerEvent, type StreamState } from '#pages-kit';
import type { components } from '../../../../docs/openapi/ledger-api.js';
import { answered, API_ROOT, client } from './client.ts';
import { ApiFailure, failureOf } from './failure.ts';
import { session } from './session.svelte.ts';

type AssetEvent = components['schemas']['AssetEvent'];

/** The head of the chain. */
export interface Head {
  readonly channel: string;
  readonly height: number;
  readonly hash: string;
}

/** How long, in milliseconds, what is shown may be behind while blocks come faster than anybody reads. */
const BEAT_MS = 1000;
/** How often, in milliseconds, it is asked whether the ledger does all that it should. */
const LOOK_MS = 15_000;

/**
 * What happens on the ledger while somebody looks: how far the chain has come, and which assets have changed. Whatever is
 * shown of the chain is read anew with each {@link Live.beat}, so that nothing that was missed while the server was away, or
 * the tab hidden, is missing for long.
 */
class Live {
  state = $state<StreamState>('connecting');
  head = $state.raw<Head>();
  /** Counts up when the chain has grown, and when the server is there again; once a second at most. */
  beat = $state(0);
  /** Counts up when the server is there again: whatever it was that changed meanwhile, nobody was told. */
  returns = $state(0);
  /** Why the ledger does not do all that it should, in the server's words; empty while it does. */
  trouble = $state('');
  /** Why no events come from this ledger; undefined while they do. */
  refusal = $state.raw<ApiFailure>();
  readonly #watchers = new Map<string, Set<() => void>>();
  /** What has changed since the last beat, of that which is watched. */
  readonly #changed = new Set<string>();
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #last = 0;

  /** Follows the ledger; @returns ends it */
  follow(): () => void {
    let isReturn = false;
    const end = followEvents({
      url: `${API_ROOT}/events`,
      headers: () => (session.key === '' ? {} : { 'x-api-key': session.key }),
      onEvent: (event) => {
        this.#take(event);
      },
      onState: (state) => {
        this.state = state;
        // What came before the stream was open is not told by it.
        if (state !== 'live') return;
        if (isReturn) {
          this.returns += 1;
          void this.#readTrouble();
        }
        isReturn = true;
        this.#grow();
      },
      onRefused: (response) => {
        void this.#refuse(response);
      },
    });
    void this.#readTrouble();
    const look = setInterval(() => {
      if (this.state === 'live') void this.#readTrouble();
    }, LOOK_MS);
    return () => {
      end();
      clearInterval(look);
      clearTimeout(this.#waiting);
      this.#waiting = undefined;
    };
  }

  /** Calls back with the beat when transactions have changed an asset, however many; @returns ends it */
  watch(asset: string, changed: () => void): () => void {
    const watchers = this.#watchers.get(asset) ?? new Set();
    this.#watchers.set(asset, watchers.add(changed));
    return () => {
      watchers.delete(changed);
      if (watchers.size === 0) this.#watchers.delete(asset);
    };
  }

  #take({ type, data }: ServerEvent): void {
    if (type === 'block') this.#grow();
    // Blocks of many transactions come fast; most of what they tell is of assets that nobody looks at.
    else if (this.#watchers.size > 0) {
      const { assetId } = JSON.parse(data) as AssetEvent;
      // The end of its block comes behind it, and brings the beat.
      if (this.#watchers.has(assetId)) this.#changed.add(assetId);
    }
  }

  /** At once when nothing has grown for a while, else when it is time. */
  #grow(): void {
    if (this.#waiting !== undefined) return;
    this.#waiting = setTimeout(
      () => {
        this.#waiting = undefined;
        this.#last = performance.now();
        this.beat += 1;
        this.#tellWatchers();
        void this.#readHead();
      },
      Math.max(0, this.#last + BEAT_MS - performance.now()),
    );
  }

  #tellWatchers(): void {
    for (const asset of this.#changed) {
      this.#watchers.get(asset)?.forEach((changed) => {
        changed();
      });
    }
    this.#changed.clear();
  }

  async #readHead(): Promise<void> {
    try {
      const { body } = await answered(client.GET('/blockchain/info'));
      const { chainName: channel, height, blockHash: hash } = body.data;
      this.head = { channel, height, hash };
    } catch (error) {
      // The pages, which read with each beat, say what is wrong.
      if (!(error instanceof ApiFailure)) throw error;
    }
  }

  async #readTrouble(): Promise<void> {
    try {
      const response = await fetch(new URL('readyz', document.baseURI));
      this.trouble = response.ok ? '' : failureOf(response, await response.json()).message;
    } catch {
      // Nobody answers: the stream will find that out.
    }
  }

  async #refuse(response: Response): Promise<void> {
    const body: unknown = await response.json().catch(() => undefined);
    this.refusal = failureOf(response, body);
    this.state = 'paused';
    if (response.status === 401) session.signOut(this.refusal.message);
    else this.#grow();
  }
}

export const live = new Live();
