import {
  type AuthMethod,
  type DialAttempt,
  type DialError,
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
import type { Cancellable } from './upstream.js';

export interface LinkListener extends Socks5SessionListener {
  /** The TCP connection is open. */
  connected?(): void;
}

export interface LinkOptions {
  readonly plan: HandshakePlan;
  /** Absent: authenticate, then wait for {@link LinkedSession.request}. */
  readonly target?: Socks5Target | undefined;
  readonly listener: LinkListener;
  /** Override the configured timeouts, in milliseconds. */
  readonly timeouts?: Partial<Timeouts>;
}

export interface UpstreamLinkOptions {
  readonly config: Socks5UpstreamConfig;
  readonly timeouts: Timeouts;
  readonly pool: BufferPool;
  /** Connects to the server; it should cache the server's name, which every connection needs. */
  readonly dialler: Dialler;
}

/** Opens connections to one SOCKS5 server, with its address, credentials and timeouts. */
export class UpstreamLink {
  readonly #options: UpstreamLinkOptions;

  constructor(options: UpstreamLinkOptions) {
    this.#options = options;
  }

  get timeouts(): Timeouts {
    return this.#options.timeouts;
  }

  /** Starts a connection and its handshake. */
  begin(options: LinkOptions): LinkedSession {
    return new LinkedSession(this.#options, options);
  }
}

/** One connection to a SOCKS5 server: first the TCP connection, then the handshake on it. */
export class LinkedSession implements Cancellable {
  readonly #listener: LinkListener;
  readonly #dial: DialAttempt;
  #source: PooledSource | undefined;
  #session: Socks5Session | undefined;
  #isFinished = false;

  constructor(link: UpstreamLinkOptions, { plan, target, listener, timeouts }: LinkOptions) {
    const { host, port, credentials } = link.config;
    const { connect, handshake } = { ...link.timeouts, ...timeouts };
    this.#listener = listener;
    this.#dial = link.dialler.dial({
      target: { host, port },
      timeout: connect,
      open: (to) => PooledSource.connect(link.pool, to),
      connected: (source) => {
        this.#source = source;
        listener.connected?.();
        const { offer, oneFlight } = plan;
        this.#session = new Socks5Session({
          source,
          offer,
          credentials,
          target,
          oneFlight,
          timeout: handshake,
          listener,
        });
      },
      failed: (error) => {
        this.#fail(socks5ErrorOf(error));
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
    this.#fail(new Socks5Error('SOCKS5.ABORTED', 'The connection attempt was aborted.', { phase: 'connect' }));
  }

  expire(): void {
    if (this.#session === undefined) this.#dial.expire();
    else this.#session.expire();
  }

  #fail(error: Socks5Error): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#listener.failed(error);
  }
}

function socks5ErrorOf({ code, cause }: DialError): Socks5Error {
  return code === 'DIAL.TIMEOUT'
    ? new Socks5Error('SOCKS5.TIMEOUT', 'The SOCKS5 server did not accept the connection in time.', {
        phase: 'connect',
      })
    : new Socks5Error('SOCKS5.UNREACHABLE', 'The SOCKS5 server cannot be reached.', { phase: 'connect', cause });
}
