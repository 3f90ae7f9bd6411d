import type { RedisClientType } from '@redis/client';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { LimitOptions } from '../config/config.js';

/** What a request leaves of its caller's share. */
export interface Share {
  readonly isOver: boolean;
  readonly remaining: number;
  /** Milliseconds until there is a whole share again. */
  readonly resetsIn: number;
}

const SECONDS = 1;
/** How long the store may take for an answer, in milliseconds; then it is not asked for a while. */
const STORE_TIMEOUT_MS = 250;
const STORE_PAUSE_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
const MOST_PAUSE_MS = 5_000;

/**
 * Counts requests in windows of a second, for each caller. What is kept of one goes with its second, so that never more is
 * kept than was asked in one. While a shared store does not answer this process counts for itself, rather than refuse
 * every request or none.
 */
export class RequestLimits {
  readonly perSecond: number;
  readonly #own: RateLimiterMemory;
  readonly #store: SharedStore | undefined;

  private constructor(perSecond: number, store: SharedStore | undefined) {
    this.perSecond = perSecond;
    this.#own = new RateLimiterMemory({ points: perSecond, duration: SECONDS });
    this.#store = store;
  }

  /** Waits for no store: a connection is made when it can be, again and again. */
  static async open({ perSecond, redis }: LimitOptions, logger: Logger): Promise<RequestLimits> {
    const store = redis === undefined ? undefined : new SharedStore(await createStoreClient(redis), perSecond, logger);
    return new RequestLimits(perSecond, store);
  }

  /** Counts a request. */
  async take(caller: string): Promise<Share> {
    return (await this.#store?.take(caller)) ?? consume(this.#own, caller);
  }

  close(): void {
    this.#store?.close();
  }
}

async function consume(limiter: RateLimiterAbstract, caller: string): Promise<Share> {
  try {
    return shareOf(await limiter.consume(caller), false);
  } catch (over) {
    if (over instanceof RateLimiterRes) return shareOf(over, true);
    throw over;
  }
}

function shareOf({ remainingPoints: remaining, msBeforeNext }: RateLimiterRes, isOver: boolean): Share {
  return { isOver, remaining, resetsIn: Math.max(0, msBeforeNext) };
}

/** The store that replicas share. Its loss and return are logged, not each request, and never its URL. */
class SharedStore {
  readonly #client: RedisClientType;
  readonly #limiter: RateLimiterRedis;
  readonly #logger: Logger;
  #isThere: boolean | undefined;
  #leftAloneUntil = -Infinity;
  readonly #awaitedUntil = performance.now() + CONNECT_TIMEOUT_MS;

  constructor(client: RedisClientType, points: number, logger: Logger) {
    this.#client = client;
    this.#logger = logger;
    this.#limiter = new RateLimiterRedis({
      storeClient: client,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      keyPrefix: 'ledger-api:requests',
      points,
      duration: SECONDS,
    });
    client.on('error', (error: Error) => {
      this.#tell(false, error);
    });
    // With a reconnect strategy this resolves when a connection is open, or when the client is destroyed.
    client.connect().catch(() => undefined);
  }

  /** undefined when the store does not answer. */
  async take(caller: string): Promise<Share | undefined> {
    const now = performance.now();
    if (!this.#client.isReady) {
      // A store that takes the connection and then says nothing makes no error.
      if (now > this.#awaitedUntil) this.#tell(false, new Error('there is no connection'));
      return undefined;
    }
    if (now < this.#leftAloneUntil) return undefined;
    try {
      const share = await within(STORE_TIMEOUT_MS, consume(this.#limiter, caller));
      this.#tell(true);
      return share;
    } catch (error) {
      this.#leftAloneUntil = performance.now() + STORE_PAUSE_MS;
      this.#tell(false, error as Error);
      return undefined;
    }
  }

  close(): void {
    this.#client.destroy();
  }

  #tell(isThere: boolean, error?: Error): void {
    if (isThere === this.#isThere) return;
    this.#isThere = isThere;
    if (isThere) this.#logger.info('requests are counted in the shared store');
    else {
      const text = 'the shared store does not answer: this process counts requests for itself';
      this.#logger.warn({ reason: error?.message }, text);
    }
  }
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`no answer within ${milliseconds} ms`));
  }, milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function createStoreClient(url: string): Promise<RedisClientType> {
  const { createClient } = await import('@redis/client');
  return createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (tries) => Math.min(MOST_PAUSE_MS, 50 * 2 ** tries),
    },
  });
}
