import {
  type AuthMethod,
  type DialAttempt,
  type Dialler,
  Socks5Error,
  Socks5Session,
  type Socks5SessionListener,
  type Socks5Target,
} from '#socks5-protocol';
import type { Socks5UpstreamConfig, Timeouts } from '../config/proxy-client-config.js';
import type { BufferPool } from '../relay/buffer-pool.js';
import { PooledSource } from '../relay/pooled-source.js';
import type { HandshakePlan } from './handshake-memory.js';
import type { Attempt } from './upstream.js';

export interface LinkListener extends Socks5SessionListener {
  /** The TCP connection is open. */
  connected?(): void;
}

export interface LinkOptions {
  readonly plan: HandshakePlan;
  /** Absent: authenticate, then wait for {@link UpstreamLink.request}. */
  readonly target?: Socks5Target | undefined;
  readonly listener: LinkListener;
  /** Override the configured timeouts, in milliseconds. */
  readonly timeouts?: Partial<Timeouts> | undefined;
}

/** A SOCKS5 server with the settings of its connections. */
export interface LinkedServer {
  readonly config: Socks5UpstreamConfig;
  readonly timeouts: Timeouts;
  readonly pool: BufferPool;
  /** Connects to the server; it should cache the server's name, which every connection needs. */
  readonly dialler: Dialler;
}

/**
 * One connection to a SOCKS5 server: first the TCP connection, then the handshake on it. Its listener is also notified when it
 * is cancelled, with `SOCKS5.ABORTED`.
 */
export class UpstreamLink implements Attempt {
  readonly #listener: LinkListener;
  readonly #dial: DialAttempt;
  #source: PooledSource | undefined;
  #session: Socks5Session | undefined;
  #isFinished = false;

  /** Starts to connect. */
  constructor(server: LinkedServer, { plan, target, listener, timeouts }: LinkOptions) {
    const { host, port, credentials } = server.config;
    const { connect, handshake } = { ...server.timeouts, ...timeouts };
    this.#listener = listener;
    this.#dial = server.dialler.dial({
      target: { host, port },
      timeout: connect,
      open: (to) => PooledSource.connect(server.pool, to),
      connected: (source) => {
        this.#source = source;
        listener.connected?.();
        this.#session = new Socks5Session({ ...plan, source, credentials, target, timeout: handshake, listener });
      },
      failed: ({ code, cause }) => {
        if (code === 'DIAL.TIMEOUT') {
          this.#fail('SOCKS5.TIMEOUT', 'The SOCKS5 server did not accept the connection in time.');
        } else this.#fail('SOCKS5.UNREACHABLE', 'The SOCKS5 server cannot be reached.', cause);
      },
    });
  }

  /** The connection; undefined until it is open. */
  get source(): PooledSource | undefined {
    return this.#source;
  }

  /** The method that the server chose; undefined until then. */
  get method(): AuthMethod | undefined {
    return this.#session?.method;
  }

  /** Requests a target after the listener's `ready` was called. */
  request(target: Socks5Target): void {
    this.#session?.request(target);
  }

  cancel(): void {
    if (this.#session !== undefined) {
      this.#session.cancel();
      return;
    }
    this.#dial.cancel();
    this.#fail('SOCKS5.ABORTED', 'The connection attempt was aborted.');
  }

  expire(): void {
    if (this.#session === undefined) this.#dial.expire();
    else this.#session.expire();
  }

  #fail(code: Socks5Error['code'], message: string, cause?: unknown): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#listener.failed(new Socks5Error(code, message, { phase: 'connect', cause }));
  }
}
