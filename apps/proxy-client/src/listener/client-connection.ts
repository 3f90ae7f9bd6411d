import { NOT_LISTED, type Listed } from '../stats/live-list.js';
import { type MeteredSocket } from '../stats/byte-meter.js';
import type { ActiveConnection, Cut } from '../activity/active-connection.js';
import type { ProxyServices } from '../activity/proxy-services.js';
import type { LoggedRequest } from '../activity/request-line.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Forwarder } from '../forward/forwarder.js';
import type { Target } from '../http/authority.js';
import type { ByteSource, SocketReader } from '../relay/byte-source.js';
import { IdleTimer } from '../relay/sweeper.js';
import { abort, type ConnectionSocket } from '../relay/connection-socket.js';
import type { Networks } from '../routing/rules/addresses.js';
import { openTunnel, type TunnelClient } from '../tunnel/tunnels.js';
import type { Credentials, Users } from '../users/users.js';
import { isAdmitted } from './admission.js';
import type { ClientState } from './client-state.js';
import { HeldBytes } from './held-bytes.js';
import type { OwnPages } from './own-pages.js';

/** The owner of client connections: the listener. */
export interface ClientHost {
  readonly services: ProxyServices;
  readonly forwarder: Forwarder;
  /** The pages of the listener itself. A reload replaces them. */
  readonly pages: OwnPages;
  /** Whether connections close after their current request. */
  readonly isDraining: boolean;
  /** Where it listens: `host:port`, or `unix:PATH`. */
  readonly name: string;
  /** The users of the listener; undefined if it does not authenticate. */
  readonly users: Users | undefined;
  /** The networks from which connections are accepted; undefined for all. A reload replaces them. */
  readonly clients: Networks | undefined;
  /** Whether a connection that was accepted over the limit is still over the limit. */
  isTooMany(client: ClientConnection): boolean;
  /** Replaces a connection by one for the protocol that the client speaks. */
  replace(client: ClientConnection, other: ClientConnection): void;
  /** The connection has closed. */
  closed(client: ClientConnection): void;
}

/** A connection that was accepted. */
export interface AcceptedClient {
  readonly source: ByteSource;
  /** An address, or {@link UNIX_CLIENT}; undefined if it was closed at once. */
  readonly remoteAddress: string | undefined;
  readonly host: ClientHost;
  /** Whether it was accepted over the limit: while that is so, it may only request /stats. */
  readonly isOverLimit: boolean;
}

/** The time, and the number of bytes, for which the rest of what a refused client sends is read and dropped. */
const LINGER_MS = 2000;
const MAX_LINGER_BYTES = 1_048_576;

const REFUSALS = { wrong: 'authentication_failed', busy: 'authentication_busy' } as const;

/** What a connection waits for. */
type Wait = 'request' | 'next request' | 'request body' | 'response' | 'end of body' | 'end of connection';

/** One connection of a client, from its acceptance until it closes or is handed over. A subclass implements a protocol. */
export abstract class ClientConnection implements SocketReader, TunnelClient, Listed {
  index = NOT_LISTED;
  abstract readonly tunnelMethod: string;
  readonly socket: ConnectionSocket;
  readonly accepted: AcceptedClient;
  readonly remoteAddress: string | undefined;
  /** The authenticated user; undefined if the listener does not authenticate. */
  user: string | undefined;
  cut: Cut | undefined;
  protected state: ClientState = { name: 'reading' };
  protected readonly source: ByteSource;
  protected readonly host: ClientHost;
  #isCounted = false;
  #userMeter: MeteredSocket | undefined;
  readonly #held: HeldBytes;
  #isStopped = false;
  readonly #waitTimer = new IdleTimer();
  readonly #writeTimer = new IdleTimer();

  constructor(accepted: AcceptedClient) {
    this.accepted = accepted;
    this.source = accepted.source;
    this.host = accepted.host;
    this.#held = new HeldBytes(this.host.services.sections);
    this.socket = accepted.source.socket;
    this.remoteAddress = accepted.remoteAddress;
    this.socket.on('close', () => {
      try {
        this.closed();
      } catch (error) {
        this.onDefect(error);
      } finally {
        this.host.closed(this);
      }
    });
  }

  /** The request or tunnel that it is currently used for. */
  get ongoing(): ActiveConnection | undefined {
    const { state } = this;
    if (state.name === 'serving') return state.exchange === 'ended' ? undefined : state.exchange;
    if (state.name === 'opening') return state.tunnel;
    return state.name === 'handed over' ? state.work : undefined;
  }

  /** Starts to read. */
  start(): void {
    this.source.start(this);
  }

  get listener(): string {
    return this.host.name;
  }

  /** The current request as far as it was parsed, for the request log. */
  get requested(): Pick<LoggedRequest, 'method' | 'requestedTarget'> {
    return { method: this.tunnelMethod === '' ? undefined : this.tunnelMethod, requestedTarget: undefined };
  }

  /** Whether the client's address is admitted. A reload can change that for open connections too. */
  get isAdmitted(): boolean {
    return isAdmitted(this.remoteAddress, this.host.clients);
  }

  countProxied(): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    this.host.services.stats.connectionOpened();
  }

  /**
   * Serves the current request by a tunnel.
   *
   * @param via - the name of the upstream, if the listener specifies it
   */
  protected openTunnel(decodeTarget: () => Target, via?: string): void {
    const tunnel = openTunnel(this.host.services, this, decodeTarget, via);
    if (tunnel === undefined) return;
    this.state = { name: 'opening', tunnel };
    tunnel.begin();
  }

  read(chunk: Buffer): boolean {
    const { state, socket } = this;
    if (state.name === 'closing' && socket.bytesRead - state.bytesRead > MAX_LINGER_BYTES) socket.destroy();
    if (!this.isReading()) return true;
    if (this.#held.isEmpty) this.consume(chunk, false);
    else this.hold(chunk, false);
    return !this.#isStopped;
  }

  /** Handles the end of what the client sends: it has disconnected, unless bytes are held for a tunnel (docs/adr/0042). */
  onEnd(): void {
    const isForTunnel = this.state.name === 'opening' && !this.#held.isEmpty;
    if (this.state.name === 'closing') this.socket.destroySoon();
    else if (!isForTunnel) this.socket.end();
  }

  resumeReading(): void {
    if (!this.#isStopped || this.#held.isFull) return;
    this.#isStopped = false;
    this.source.resume();
  }

  fail(failure: ProxyFailure): void {
    this.writeFailure(failure);
    this.linger();
  }

  /**
   * Ends the current request after an unexpected exception: with the failure `internal` as its answer where none was begun.
   * Otherwise the connection is reset.
   */
  onDefect(error: unknown): void {
    const failure = new ProxyFailure('internal', {}, error);
    try {
      if (!this.failOngoing(failure)) this.#endAfter(failure);
    } catch {
      // What records or answers failures has failed too.
      this.socket.destroy();
    }
  }

  #endAfter(failure: ProxyFailure): void {
    if (this.mayAnswer() && !this.socket.destroyed) {
      this.refuse(failure);
      return;
    }
    if (this.state.name !== 'closing') abort(this.socket);
    this.host.services.reporter.report(failure, { client: this.remoteAddress, user: this.user });
  }

  /** Whether a failure can be sent: no other answer to the current request was begun. */
  protected mayAnswer(): boolean {
    return this.state.name !== 'closing' && this.state.name !== 'handed over';
  }

  /**
   * Fails the current request or tunnel.
   *
   * @returns whether there is one
   */
  protected failOngoing(failure: ProxyFailure): boolean {
    const { state } = this;
    if (state.name !== 'opening' || state.tunnel === undefined || state.tunnel.isFinished) return false;
    state.tunnel.fail(failure);
    return true;
  }

  acceptTunnel(): ByteSource {
    return this.handOver(this.ongoing);
  }

  /** Hands the connection over: held bytes are put back into its source. */
  handOver(work: ActiveConnection | undefined): ByteSource {
    this.state = { name: 'handed over', work };
    const held = this.#held.take();
    if (held !== undefined) this.source.putBack(held);
    return this.source;
  }

  /** Refuses the client: sends a failure, then closes the connection. */
  refuse(failure: ProxyFailure): void {
    this.recordRefusal(failure);
    this.writeFailure(failure);
    this.linger();
  }

  /** Counts and logs that the client was refused before a request was served. */
  protected recordRefusal(failure: ProxyFailure): void {
    const { reporter, requestLog } = this.host.services;
    reporter.report(failure, { client: this.remoteAddress, user: this.user });
    // A connection that sent nothing is not a request.
    const isSilent = failure.category === 'request_timeout' && this.socket.bytesRead === 0;
    if (!isSilent) requestLog.ended({ client: this, ...this.requested }, { failure });
  }

  /**
   * Closes the connection if it is idle, since the proxy shuts down.
   *
   * @param includesNew - whether also if nothing has been received yet: the first request may be on its way
   */
  closeIfIdle(includesNew: boolean): void {
    if (this.isIdle() && (includesNew || this.socket.bytesRead > 0)) this.socket.destroy();
  }

  /**
   * Enforces the timeouts. Progress is read from the socket's own counters, so it costs nothing while bytes move.
   *
   * @param now - in milliseconds
   */
  sweep(now: number): void {
    if (this.state.name === 'handed over') return;
    this.source.trim();
    const { write } = this.host.services.config.timeouts;
    if (exceeds(this.#writeTimer.writeStalled(now, this.socket), write)) this.abortUnread();
    else if (this.state.name !== 'closing') this.sweepOpen(now);
    else if (this.hasWaited(now, 'end of connection', LINGER_MS)) this.socket.destroy();
  }

  /** Whether the connection serves nothing, so that it can be closed. */
  protected abstract isIdle(): boolean;

  /**
   * Consumes bytes, for as long as it {@link isReading}.
   *
   * @param isOwned - whether the bytes stay unchanged after the call
   */
  protected abstract consume(chunk: Buffer, isOwned: boolean): void;

  /** Writes the response to a failure, if the protocol has one. */
  protected abstract writeFailure(failure: ProxyFailure): void;

  /** Enforces the timeouts of a connection that is neither closing nor handed over. */
  protected sweepOpen(now: number): void {
    const { read } = this.host.services.config.timeouts;
    if (this.state.name === 'reading' && this.hasWaited(now, 'request', read)) {
      this.refuse(new ProxyFailure('request_timeout'));
    }
  }

  /** Whether received bytes are still needed. */
  protected isReading(): boolean {
    return this.state.name !== 'closing' && this.state.name !== 'handed over' && !this.socket.destroyed;
  }

  /** Holds bytes for the tunnel, or for the next request. */
  protected hold(bytes: Buffer, isOwned: boolean): void {
    if (!this.#held.add(bytes, isOwned)) this.stop();
  }

  /** Consumes held bytes; then reading resumes. */
  protected consumeHeld(): void {
    const held = this.#held.take();
    if (held === undefined) return;
    this.resumeAfter(() => {
      this.consume(held, true);
    });
  }

  /** Runs an action that may stop reading again; otherwise reading resumes, if it was stopped. */
  protected resumeAfter(action: () => void): void {
    const wasStopped = this.#isStopped;
    this.#isStopped = false;
    action();
    if (wasStopped && !this.isStopped()) this.source.resume();
  }

  /**
   * Verifies credentials: at once if they equal the last correct ones; otherwise nothing is read until they were hashed. The
   * bytes that are being consumed stay unchanged.
   *
   * @param then - called with the reason for a refusal, if there is one
   * @param resume - called after `then` if nothing was read meanwhile
   */
  protected verify(
    users: Users,
    credentials: Credentials,
    then: (refusal: ProxyFailure | undefined) => void,
    resume?: () => void,
  ): void {
    if (users.knows(credentials)) {
      this.#identify(credentials);
      then(undefined);
      return;
    }
    const before = this.state;
    this.state = { name: 'checking', request: 'request' in before ? before.request : undefined };
    this.stop();
    users
      .check(credentials, this.remoteAddress ?? '')
      .then((verdict) => {
        if (this.socket.destroyed) return;
        this.resumeAfter(() => {
          this.state = before;
          if (verdict === 'right') this.#identify(credentials);
          then(verdict === 'right' ? undefined : new ProxyFailure(REFUSALS[verdict]));
          resume?.();
        });
      })
      .catch(this.onDefect.bind(this));
  }

  #identify({ username }: Credentials): void {
    const user = username.normalize('NFC');
    if (user === this.user) return;
    this.user = user;
    this.#userMeter?.end();
    this.#userMeter = this.host.services.stats.trackUser(user, this.socket);
  }

  protected isStopped(): boolean {
    return this.#isStopped;
  }

  protected stop(): void {
    this.#isStopped = true;
    this.socket.pause();
  }

  /**
   * Ends the connection, and for a short time drops what the client still sends: closing a socket with unread bytes resets the
   * connection, and the client loses the response (RFC 9112, section 9.6).
   */
  protected linger(): void {
    this.state = { name: 'closing', bytesRead: this.socket.bytesRead };
    this.#held.take();
    if (this.socket.readableEnded || !this.socket.writable) this.socket.destroySoon();
    else this.socket.end();
    this.resumeReading();
  }

  /**
   * Whether a wait has made no progress for longer than a timeout.
   *
   * @param wait - undefined while nothing is awaited
   * @param progress - a counter that changes with every progress
   */
  protected hasWaited(now: number, wait: Wait | undefined, limit: number, progress = 0): boolean {
    return exceeds(this.#waitTimer.elapsed(now, wait, progress), limit);
  }

  /** Cuts a client that does not read. */
  protected abortUnread(): void {
    this.socket.destroy();
  }

  protected closed(): void {
    this.#held.take();
    this.#userMeter?.end();
    if (this.#isCounted) this.host.services.stats.connectionClosed();
    if (this.state.name === 'opening') this.state.tunnel?.abort();
  }
}

function exceeds(milliseconds: number, limit: number): boolean {
  return limit > 0 && milliseconds >= limit;
}
