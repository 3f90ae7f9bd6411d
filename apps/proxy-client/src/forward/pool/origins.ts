import type { CancelToken } from '../../upstream/cancel-token.js';
import type { Target, Upstream } from '../../upstream/upstream.js';
import { OriginConnection } from './origin-connection.js';
import { OriginPool, type OriginPoolOptions } from './origin-pool.js';

/** The connections to origins: those that are idle, and new ones. */
export class Origins {
  readonly pool: OriginPool;
  readonly #headerBytes: number;

  /** @param headerBytes - bytes that the header of an answer may have */
  constructor(options: OriginPoolOptions, headerBytes: number) {
    this.pool = new OriginPool(options);
    this.#headerBytes = headerBytes;
  }

  /**
   * Connects.
   *
   * @param key - what the connection is kept by
   * @throws {@link ProxyFailure}, {@link ConnectCancelled} as {@link Upstream.connect} does
   */
  async dial(upstream: Upstream, target: Target, key: string, cancel: CancelToken): Promise<OriginConnection> {
    const link = await upstream.connect(target, { cancel });
    return new OriginConnection(link, key, this.#headerBytes, this.#closed);
  }

  readonly #closed = (connection: OriginConnection): void => {
    this.pool.remove(connection);
  };
}
