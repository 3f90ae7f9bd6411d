import type { ProxyStats } from '#metrics';
import { type Dialler, type DialError } from '#socks5-protocol';
import type { FailureCategory } from '../failure/failure-table.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Target } from '../http/authority.js';
import type { BufferPool } from '../relay/buffer-pool.js';
import { PooledSource } from '../relay/pooled-source.js';
import type { RouteQuery } from '../rules/rule.js';
import { type AddressGuard, isFromHere } from './address-guard.js';
import { type CancelToken, ConnectCancelled, type ConnectOutcome, type Upstream } from './upstream.js';

export interface DirectUpstreamOptions {
  readonly dialler: Dialler;
  readonly guard: AddressGuard;
  /** Milliseconds for a connection, the look-up of the name included; 0 means no limit. */
  readonly timeout: number;
  readonly stats: ProxyStats;
  readonly pool: BufferPool;
}

/** What was not metered before. */
const NOTHING = { bytesRead: 0, bytesWritten: 0 };

let made = 0;

/**
 * No way through a server: connections leave from this machine, where a rule says so. Names are resolved here, and whom a name
 * leads to is judged by the guard, as the one who asks.
 */
export class DirectUpstream implements Upstream {
  readonly name = 'direct';
  readonly key: string;
  readonly #options: DirectUpstreamOptions;
  /** Connections that were let through by other rules are not used again. */
  readonly #generation: number;

  constructor(options: DirectUpstreamOptions) {
    made += 1;
    this.#options = options;
    this.#generation = made;
    this.key = this.#keyOf({});
  }

  forRequest(query: RouteQuery): Upstream {
    return new DirectPassage(this.#options, query, this.#keyOf(query.client));
  }

  begin(target: Target, outcome: ConnectOutcome, cancel?: CancelToken): void {
    this.forRequest({ target, client: {} }).begin(target, outcome, cancel);
  }

  async close(): Promise<void> {
    return Promise.resolve();
  }

  /** Whoever may not open a connection must not be given one that somebody else has opened. */
  #keyOf({ remoteAddress, user }: RouteQuery['client']): string {
    return JSON.stringify(['direct', this.#generation, isFromHere(remoteAddress), user ?? null]);
  }
}

/** The way out as one request meets it. */
class DirectPassage implements Upstream {
  readonly name = 'direct';
  readonly key: string;
  readonly #options: DirectUpstreamOptions;
  readonly #query: RouteQuery;

  constructor(options: DirectUpstreamOptions, query: RouteQuery, key: string) {
    this.#options = options;
    this.#query = query;
    this.key = key;
  }

  begin(target: Target, outcome: ConnectOutcome, cancel?: CancelToken): void {
    const { dialler, guard, timeout, stats, pool } = this.#options;
    const attempt = dialler.dial({
      target,
      timeout,
      admit: (address) => guard.admits(address, { ...this.#query, target }),
      open: (to) => PooledSource.connect(pool, to),
      connected: (source) => {
        cancel?.onCancel(undefined);
        source.meter = stats.trackUpstream(source.socket, NOTHING);
        outcome.connected(source, this);
      },
      failed: (error) => {
        cancel?.onCancel(undefined);
        outcome.failed(new ProxyFailure(categoryOf(error), {}, error));
      },
    });
    cancel?.onCancel({
      cancel: () => {
        attempt.cancel();
        queueMicrotask(() => {
          outcome.failed(new ConnectCancelled());
        });
      },
      expire: () => {
        attempt.expire();
      },
    });
  }

  async close(): Promise<void> {
    return Promise.resolve();
  }
}

function categoryOf({ code, cause }: DialError): FailureCategory {
  switch (code) {
    case 'DIAL.UNRESOLVED':
      return 'direct_unresolved';
    case 'DIAL.PROHIBITED':
      return 'direct_prohibited';
    case 'DIAL.TIMEOUT':
      return 'direct_timeout';
    case 'DIAL.FAILED':
      return (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED'
        ? 'direct_refused'
        : 'direct_unreachable';
  }
}
