import {
  type AuthMethod,
  type Socks5Credentials,
  Socks5Error,
  Socks5Session,
  type Socks5SessionListener,
  type Socks5Target,
} from '#socks5-protocol';
import type { Timeouts } from '../config/proxy-client-config.js';
import type { FailureCategory } from '../failure/failure-table.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { RouteClient } from '../routing/rules/rule.js';
import type { HandshakePlan } from './handshake-memory.js';
import { type LinkedServer, type PathError, ServerPath } from './server-path.js';

export interface LinkListener extends Socks5SessionListener {
  /** The connection to the server's port is open. */
  reached?(): void;
  /** The handshake begins, on TLS if it is configured. */
  connected?(): void;
}

export interface LinkOptions {
  readonly plan: HandshakePlan;
  /** Absent: authenticate, then wait for {@link UpstreamLink.request}. */
  readonly target?: Socks5Target | undefined;
  readonly listener: LinkListener;
  /** The client whose request it is. */
  readonly client: RouteClient;
  /** Override the configured timeouts, in milliseconds. */
  readonly timeouts?: Partial<Timeouts> | undefined;
}

/** The failures of TCP that {@link Socks5Error} has codes for. */
const OWN: ReadonlySet<FailureCategory> = new Set<FailureCategory>(['timeout', 'upstream_unreachable']);

/**
 * One connection to a SOCKS5 server: first the way to it, then the handshake. Its listener is also notified when it
 * is aborted, with `SOCKS5.ABORTED`.
 */
export class UpstreamLink extends ServerPath {
  readonly #options: LinkOptions;
  readonly #credentials: Socks5Credentials | undefined;
  readonly #handshakeTimeout: number;
  #source: ByteSource | undefined;
  #session: Socks5Session | undefined;
  #isFinished = false;

  /** Starts to connect. */
  constructor(server: LinkedServer, options: LinkOptions) {
    const { connect = server.timeouts.connect, handshake = server.timeouts.handshake } = options.timeouts ?? {};
    super(server, options.client, connect);
    this.#options = options;
    this.#credentials = server.config.credentials;
    this.#handshakeTimeout = handshake;
  }

  /** The connection; undefined until it is open. */
  get source(): ByteSource | undefined {
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

  override abort(): void {
    if (this.#session !== undefined) {
      this.#session.abort();
      return;
    }
    super.abort();
    this.#fail('SOCKS5.ABORTED', 'The connection attempt was aborted.');
  }

  override expire(): void {
    if (this.#session === undefined) super.expire();
    else this.#session.expire();
  }

  protected override reached(): void {
    this.#options.listener.reached?.();
  }

  protected override opened(source: ByteSource): void {
    const { plan, target, listener } = this.#options;
    this.#source = source;
    listener.connected?.();
    this.#session = new Socks5Session({
      ...plan,
      source,
      credentials: this.#credentials,
      target,
      timeout: this.#handshakeTimeout,
      listener,
    });
  }

  protected override notReached(error: PathError): void {
    if (error.category === 'internal') {
      this.#fail('SOCKS5.DEFECT', error.message, error.cause);
      return;
    }
    const isOwn = error.carried === undefined && error.step === 'tcp' && OWN.has(error.category);
    const code = error.category === 'timeout' ? 'SOCKS5.TIMEOUT' : 'SOCKS5.UNREACHABLE';
    this.#fail(code, error.message, isOwn ? error.cause : error);
  }

  #fail(code: Socks5Error['code'], message: string, cause?: unknown): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#options.listener.failed(new Socks5Error(code, message, { phase: 'connect', cause }));
  }
}
