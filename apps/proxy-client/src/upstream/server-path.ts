import { connect, isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ProxyStats } from '../stats/proxy-stats.js';
import {
  contain,
  type DefectOwner,
  type DialAttempt,
  type DialErrorCode,
  type Dialler,
  startTimer,
} from '#socks5-protocol';
import type { ServerConfig, Timeouts, TlsConfig } from '../config/proxy-client-config.js';
import { clientContext } from '../config/secure-contexts.js';
import type { FailureCategory } from '../failure/failure-table.js';
import { ProxyFailure, type FailureFacts } from '../failure/proxy-failure.js';
import { formatAuthority } from '../http/authority.js';
import type { SectionMemory } from '../http/section-memory.js';
import type { BufferPool } from '../relay/buffer-pool.js';
import { type ByteSource, PlainSource, SOCKET_OPTIONS } from '../relay/byte-source.js';
import { PooledSource } from '../relay/pooled-source.js';
import { TlsSource } from '../relay/tls-source.js';
import type { RouteClient } from '../routing/rules/rule.js';
import type { Attempt, ConnectOutcome, Upstream } from './upstream.js';

/** A server with the settings of its connections. */
export interface LinkedServer {
  readonly config: ServerConfig;
  readonly timeouts: Timeouts;
  readonly pool: BufferPool;
  readonly sections: SectionMemory;
  /** Connects to the server; it should cache the server's name, which every connection needs. */
  readonly dialler: Dialler;
  /** Logs an unexpected exception in work that is not for a request. */
  readonly reportDefect: (error: unknown) => void;
  /** The previous hop, which connects to the server; absent: TCP from here. */
  readonly carrier?: Upstream | undefined;
}

/** The failures to connect by TCP from here. */
const DIAL_FAILURES: Readonly<Record<DialErrorCode, FailureCategory>> = {
  'DIAL.UNRESOLVED': 'upstream_unreachable',
  'DIAL.PROHIBITED': 'upstream_unreachable',
  'DIAL.TIMEOUT': 'timeout',
  'DIAL.FAILED': 'upstream_unreachable',
  'DIAL.NO_DESCRIPTOR': 'descriptor_limit',
  'DIAL.DEFECT': 'internal',
};

/** The server was not reached, so nothing of its protocol was sent. */
export class PathError extends Error {
  /** The step that failed. */
  readonly step: 'tcp' | 'tls';
  readonly category: FailureCategory;
  /** The failure of a previous hop. */
  readonly carried: { readonly failure: ProxyFailure; readonly upstream: Upstream } | undefined;

  constructor(step: PathError['step'], category: FailureCategory, cause?: unknown, carried?: PathError['carried']) {
    super('The upstream server was not reached.', { cause });
    this.name = 'PathError';
    this.step = step;
    this.category = category;
    this.carried = carried;
  }

  /** Returns the failure of a request. */
  toFailure(): ProxyFailure {
    return (
      this.carried?.failure ??
      new ProxyFailure(this.category, this.#facts, this.category === 'internal' ? this.cause : this)
    );
  }

  get #facts(): FailureFacts {
    if (this.category === 'descriptor_limit' || this.category === 'internal') return {};
    const isTlsTimeout = this.step === 'tls' && this.category === 'timeout';
    return { fault: 'server', ...(isTlsTimeout && { detail: 'TLS handshake: check that the port speaks TLS' }) };
  }
}

/** Answers of a previous hop which mean that it did not reach the server. */
const NOT_REACHED: ReadonlySet<FailureCategory> = new Set<FailureCategory>([
  'general_failure',
  'network_unreachable',
  'host_unreachable',
  'connection_refused',
  'ttl_expired',
  'closed_at_request',
  'upstream_cannot_connect',
  'upstream_target_timeout',
]);

/**
 * A connection to a server: by TCP from here or through the previous hop, then TLS if it is configured; a subclass continues
 * with the server's protocol. Each step has its own timeout; those of previous hops are theirs.
 */
export abstract class ServerPath implements Attempt, ConnectOutcome, DefectOwner {
  readonly #server: LinkedServer;
  readonly #timeout: number;
  /** TCP, or the attempt of the previous hop. */
  #step: Attempt | DialAttempt;
  #source: ByteSource | undefined;
  #tls: TLSSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFinished = false;

  /**
   * Starts to connect. No other method is called before it returns.
   *
   * @param client - whose request it is, for previous hops that isolate users
   * @param timeout - milliseconds for TCP, and again for TLS; 0 means no limit
   */
  protected constructor(server: LinkedServer, client: RouteClient, timeout: number) {
    const { host, port } = server.config;
    this.#server = server;
    this.#timeout = timeout;
    this.#step = server.carrier?.begin({ target: { host, port }, client, isHop: true }, this) ?? this.#dial();
  }

  /** Handles that the connection to the server's port is open; TLS follows, if it is configured. */
  protected abstract reached(): void;

  /** Begins the server's protocol. */
  protected abstract opened(source: ByteSource): void;

  /** Handles that the server was not reached; called last. */
  protected abstract notReached(error: PathError): void;

  abort(): void {
    this.#finish();
    this.#step.abort();
    this.#tls?.destroy();
  }

  expire(): void {
    if (this.#tls === undefined) this.#step.expire();
    else this.#fail(new PathError('tls', 'timeout'));
  }

  /** @internal */
  connected(source: ByteSource): void {
    if (this.#isFinished) {
      source.socket.destroy();
      return;
    }
    contain(this, () => {
      const { tls } = this.#server.config;
      this.#source = source;
      this.reached();
      if (tls === undefined) this.#succeed(source);
      else this.#startTls(source, tls);
    });
  }

  /** @internal */
  failed(failure: ProxyFailure, upstream: Upstream): void {
    if (failure.facts.fault === 'target' && NOT_REACHED.has(failure.category)) {
      this.#fail(new PathError('tcp', 'upstream_unreachable', failure));
    } else {
      const { category, facts, cause } = failure;
      this.#fail(
        new PathError('tcp', category, failure, {
          failure: new ProxyFailure(category, { ...facts, fault: 'server' }, cause),
          upstream,
        }),
      );
    }
  }

  onDefect(error: unknown): void {
    this.#finish();
    this.#source?.socket.destroy();
    this.notReached(new PathError(this.#source === undefined ? 'tcp' : 'tls', 'internal', error));
  }

  #dial(): DialAttempt {
    const { config, dialler, pool } = this.#server;
    const { host, port, tls } = config;
    return dialler.dial<ByteSource & { readonly socket: Socket }>({
      target: { host, port },
      timeout: this.#timeout,
      // TLS reads into memory of its own.
      open: (to) =>
        tls === undefined ? PooledSource.connect(pool, to) : new PlainSource(connect({ ...to, ...SOCKET_OPTIONS })),
      connected: this.connected.bind(this),
      failed: ({ code, cause }) => {
        contain(this, () => {
          this.#fail(new PathError('tcp', DIAL_FAILURES[code], cause));
        });
      },
    });
  }

  #startTls(source: ByteSource, config: TlsConfig): void {
    if (source.early > 0) {
      // A server that sends something before TLS does not speak TLS.
      source.socket.destroy();
      this.#fail(new PathError('tls', 'upstream_tls_failed'));
      return;
    }
    const carrier = source.socket as Socket;
    const tls = tlsOver(carrier, this.#server.config, config);
    this.#tls = tls;
    const secured = new TlsSource(tls, carrier);
    this.#timer = startTimer(this, this.#timeout, this.expire.bind(this));
    tls.once('secureConnect', () => {
      tls.off('close', onClose);
      contain(this, () => {
        this.#succeed(secured);
      });
    });
    const onClose = (): void => {
      contain(this, () => {
        this.#fail(new PathError('tls', tlsCategory(tls), tls.errored ?? undefined));
      });
    };
    tls.once('close', onClose);
  }

  #succeed(source: ByteSource): void {
    if (this.#isFinished) return;
    this.#finish();
    this.opened(source);
  }

  #fail(error: PathError): void {
    if (this.#isFinished) return;
    this.#finish();
    this.#tls?.destroy();
    this.notReached(error);
  }

  #finish(): void {
    this.#isFinished = true;
    clearTimeout(this.#timer);
  }
}

/** Returns the previous hops' part of a pool key, with the blank before it. */
export function carrierKey({ carrier, config: { host, port } }: LinkedServer, client: RouteClient): string {
  if (carrier === undefined) return '';
  const target = { host, port };
  return ` ${carrier.keyFor({ target, client, isHop: true }, formatAuthority(target))}`;
}

/** Counts the bytes of a connection to a target; those that were put back are not read yet. */
export function meterUpstream(stats: ProxyStats, source: ByteSource): void {
  const { bytesRead, bytesWritten } = source.socket;
  source.meter = stats.trackUpstream(source.socket, { bytesRead: bytesRead - source.early, bytesWritten });
}

/** Starts TLS as a client. The module is loaded only for servers that need it. */
function tlsOver(socket: Socket, { kind, host }: ServerConfig, config: TlsConfig): TLSSocket {
  const tls = process.getBuiltinModule('node:tls');
  const { serverName = host } = config;
  const secureContext = clientContext(config);
  const options = {
    socket,
    secureContext,
    allowHalfOpen: true,
    // By default Node skips the verification if NODE_TLS_REJECT_UNAUTHORIZED is 0, which is often set for other programs.
    rejectUnauthorized: true,
    // The name to verify; an address is not sent to the server (RFC 6066, section 3).
    host: serverName,
    ...(isIP(serverName) === 0 && { servername: serverName }),
    ...(kind === 'http' && { ALPNProtocols: ['http/1.1'] }),
  };
  return tls.connect(options);
}

/** Returns why a TLS handshake failed. */
function tlsCategory(tls: TLSSocket): FailureCategory {
  const { code = '' } = (tls.errored ?? {}) as NodeJS.ErrnoException;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'upstream_certificate_name';
  // Null or undefined unless the certificate is the reason, whatever the types state.
  const { authorizationError } = tls as Partial<Pick<TLSSocket, 'authorizationError'>>;
  // A server that does not speak TLS answers something else, or closes the connection.
  return authorizationError ? 'upstream_certificate_untrusted' : 'upstream_tls_failed';
}

/** Whether an error code is one of OpenSSL: an alert of the peer, or a message that is not TLS. */
export function isTlsError(code: unknown): boolean {
  return typeof code === 'string' && (code.startsWith('ERR_SSL_') || code === 'EPROTO');
}
