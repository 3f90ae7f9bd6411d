import type { RedisClientType } from '@redis/client';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { LimitOptions } from '#ledger-config';

/** The quota of a caller after a request. */
export interface Share {
  readonly isOver: boolean;
  readonly remaining: number;
  /** Milliseconds until the quota is full again. */
  readonly resetsIn: number;
}

/** The window of the quota in seconds. */
const WINDOW = 1;
/** The timeout of the shared store in milliseconds, and the pause after a failure. */
const STORE_TIMEOUT_MS = 250;
const STORE_PAUSE_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_DELAY_MS = 5_000;

/**
 * Counts requests of each caller in windows of a second. While a shared store does not respond, this process counts alone,
 * rather than refuse every request or none.
 */
export class RequestLimits {
  readonly #own: RateLimiterMemory;
  readonly #shared: RateLimiterRedis | undefined;
  readonly #connectBefore = performance.now() + CONNECT_TIMEOUT_MS;
  #isStoreUp: boolean | undefined;
  #pausedUntil = -Infinity;

  private constructor(
    readonly perSecond: number,
    private readonly logger: Logger,
    private readonly client?: RedisClientType,
  ) {
    const quota = { points: perSecond, duration: WINDOW };
    this.#own = new RateLimiterMemory(quota);
    if (client === undefined) return;
    client.on('error', (error: Error) => {
      this.#report(false, error);
    });
    // With a reconnect strategy this resolves when a connection is open, or when the client is destroyed.
    client.connect().catch(() => undefined);
    const store = { storeClient: client, useRedisPackage: true, rejectIfRedisNotReady: true };
    this.#shared = new RateLimiterRedis({ ...quota, ...store, keyPrefix: 'ledger-api:requests' });
  }

  /** Does not wait for a connection to the store. */
  static async open({ perSecond, redis: url }: LimitOptions, logger: Logger): Promise<RequestLimits> {
    if (url === undefined) return new RequestLimits(perSecond, logger);
    const { createClient } = await import('@redis/client');
    const reconnectStrategy = (tries: number): number => Math.min(MAX_RECONNECT_DELAY_MS, 50 * 2 ** tries);
    const socket = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy };
    return new RequestLimits(perSecond, logger, createClient({ url, disableOfflineQueue: true, socket }));
  }

  /** Counts a request. */
  async take(caller: string): Promise<Share> {
    return (await this.#takeShared(caller)) ?? consume(this.#own, caller);
  }

  close(): void {
    this.client?.destroy();
  }

  /** Returns undefined if there is no store or it does not respond. */
  async #takeShared(caller: string): Promise<Share | undefined> {
    const now = performance.now();
    if (this.client === undefined || this.#shared === undefined || now < this.#pausedUntil) return undefined;
    if (!this.client.isReady) {
      // A store that accepts the connection and does not respond causes no error event.
      if (now > this.#connectBefore) this.#report(false, new Error('there is no connection'));
      return undefined;
    }
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(reject, STORE_TIMEOUT_MS, new Error(`no response within ${STORE_TIMEOUT_MS} ms`));
    try {
      const share = await Promise.race([consume(this.#shared, caller), late]);
      this.#report(true);
      return share;
    } catch (error) {
      this.#pausedUntil = performance.now() + STORE_PAUSE_MS;
      this.#report(false, error as Error);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Logs that the store fails or works again, but not each request, and never its URL. */
  #report(isUp: boolean, error?: Error): void {
    if (isUp === this.#isStoreUp) return;
    this.#isStoreUp = isUp;
    const text = 'the shared store does not respond: this process counts requests for itself';
    if (isUp) this.logger.info('requests are counted in the shared store');
    else this.logger.warn({ reason: error?.message }, text);
  }
}

async function consume(limiter: RateLimiterAbstract, caller: string): Promise<Share> {
  const result = await limiter.consume(caller).catch((error: unknown) => error);
  if (!(result instanceof RateLimiterRes)) throw result;
  const { remainingPoints: remaining, consumedPoints, msBeforeNext } = result;
  return { isOver: consumedPoints > limiter.points, remaining, resetsIn: Math.max(0, msBeforeNext) };
}
