import type { Socket } from 'node:net';
import { NOT_LISTED, type Listed, type MeteredSocket } from '#metrics';
import type { Ongoing } from '../activity/ongoing.js';
import type { LoggedRequest } from '../activity/request-line.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { ByteSource, ClientSource, SocketReader } from '../relay/byte-source.js';
import { Standstill } from '../relay/sweeper.js';
import type { Uptake, UptakeWatch } from '../relay/uptake.js';
import type { TunnelClient, TunnelOpening } from '../tunnel/tunnel-opening.js';
import type { Networks } from '../rules/networks.js';
import type { Credentials, Users, Verdict } from '../users/users.js';

/** Whoever has the clients: the listener. */
export interface ClientHost {
  /** Milliseconds; 0 means no limit. */
  readonly limits: ClientLimits;
  /** Asks the kernel about a client that seems to take nothing. */
  readonly uptakes: UptakeWatch;
  /** Where it listens: `host:port`. */
  readonly name: string;
  /** Whether somebody wants to know at the end of a connection where it came from. */
  readonly notesRequests: boolean;
  /** Who may use the listener; undefined: nobody is asked. */
  readonly users: Users | undefined;
  /** Whose connections are taken; undefined: everybody's. A reload puts others in their place. */
  readonly clients: Networks | undefined;
  /** Whether a connection that came when as many were open as may be is still one too many. */
  isTooMany(client: ClientConnection): boolean;
  /** The connection's first proxied request counts it. */
  counted(): void;
  /** The client has proven to be this user: its bytes are that one's from now on. */
  identified(client: ClientConnection, user: string): MeteredSocket;
  /** The connection is refused, with nothing served. */
  refused(client: ClientConnection, failure: ProxyFailure): void;
  /** The connection has turned out to speak another protocol: it is another object from now on. */
  became(client: ClientConnection, other: ClientConnection): void;
  /** The connection has closed. */
  closed(client: ClientConnection): void;
}

/** What a listener speaks. */
export interface Front {
  /** Makes what a connection that was accepted is from now on; it is started by the caller. */
  meet(source: ClientSource, cameOverLimit: boolean): ClientConnection;
}

/** Milliseconds; 0 means no limit. */
export interface ClientLimits {
  /** How long a head may take as a whole, and how long a client may owe bytes of a body without sending one. */
  readonly read: number;
  /** How long the client may take nothing of what is written to it. */
  readonly write: number;
  /** How long a connection may wait for another request. */
  readonly idle: number;
  /** How long the origin may send nothing while we wait for its answer, or for more of it. */
  readonly response: number;
}

/** What a client may send behind a request before that is answered; beyond it, its bytes wait in the kernel. */
const MAX_HELD = 65_536;
/** So long the rest of what a refused client sends is read away, at most. */
const LINGER_MS = 2000;
/** When a peer that vanished without a word is first asked (TCP keep-alive). */
const TCP_KEEP_ALIVE_MS = 60_000;
/** Stand for figures that no other wait has. */
const CLOSING = -0.5;
const FIRST = -0.25;

/**
 * - `reading`: waits for a request, or for the rest of its head
 * - `checking`: the client's credentials are being checked; nothing is read meanwhile
 * - `serving`: a request is being answered; what comes is the rest of its body, or is held until it is answered
 * - `discarding`: a request was answered before all of its body came, which is read away
 * - `left`: the connection is a tunnel's, or speaks another protocol
 * - `closing`: the last answer was written; what still comes is read away
 */
export type ClientState = 'reading' | 'checking' | 'serving' | 'discarding' | 'left' | 'closing';

/**
 * One connection of a client, from when it is accepted until it closes or belongs to a tunnel, whatever it speaks: reads,
 * holds what comes before its turn, ends gently, and is looked at for what stands still.
 */
export abstract class ClientConnection implements SocketReader, TunnelClient, Listed {
  place = NOT_LISTED;
  abstract readonly asks: string;
  /** Came when as many were open as may be: it may look at /stats, nothing else, while that is so. */
  readonly cameOverLimit: boolean;
  readonly socket: Socket;
  protected state: ClientState = 'reading';
  protected readonly source: ClientSource;
  protected readonly host: ClientHost;
  #isCounted = false;
  #user: string | undefined;
  /** A socket that has closed does not know it any more. */
  #remoteAddress: string | undefined;
  /** The networks that the client was found in. */
  #admittedBy: Networks | undefined;
  #userMeter: MeteredSocket | undefined;
  #tunnel: TunnelOpening | undefined;
  /** What the connection carries since it left. */
  #carries: Ongoing | undefined;
  /** What came while it was nobody's turn. */
  #held: Buffer | undefined;
  /** The source is calling. */
  #reads = false;
  /** It has been told to stop. */
  #stopped = false;
  /** It has been looked at: it lives for more than a moment. */
  #aged = false;
  readonly #waits = new Standstill();
  /** While something waits to be taken, at a look. */
  #uptake: Uptake | undefined;

  constructor(source: ClientSource, host: ClientHost, cameOverLimit: boolean) {
    this.source = source;
    this.host = host;
    this.socket = source.socket;
    this.cameOverLimit = cameOverLimit;
    this.socket.on('close', () => {
      this.closed();
    });
  }

  /** What it is used for at the moment. */
  get ongoing(): Ongoing | undefined {
    return this.#carries ?? this.#tunnel;
  }

  /** Begins to read. */
  start(): void {
    if (this.host.notesRequests) this.#remoteAddress = this.socket.remoteAddress;
    this.source.start(this);
  }

  get remoteAddress(): string | undefined {
    return this.#remoteAddress ?? this.socket.remoteAddress;
  }

  get listener(): string {
    return this.host.name;
  }

  /** What the present request asks for, as far as that was read: for the request log. */
  get asked(): Pick<LoggedRequest, 'method' | 'asked'> {
    return { method: this.asks === '' ? undefined : this.asks, asked: undefined };
  }

  /** Who the client has proven to be; undefined where nobody is asked. */
  get user(): string | undefined {
    return this.#user;
  }

  /** Whether the client may be served: those who may change with a reload, also for connections that are open. */
  get isAdmitted(): boolean {
    const { clients } = this.host;
    if (clients === this.#admittedBy) return true;
    if (clients !== undefined && !isFrom(clients, this.socket)) return false;
    this.#admittedBy = clients;
    return true;
  }

  get isCounted(): boolean {
    return this.#isCounted;
  }

  proxied(): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    this.host.counted();
  }

  /** The client has proven to be this user. */
  identify(username: string): void {
    const user = username.normalize('NFC');
    if (user === this.#user) return;
    this.#user = user;
    this.#userMeter?.end();
    this.#userMeter = this.host.identified(this, user);
  }

  /** Serves the present request by a tunnel. */
  tunnel(tunnel: TunnelOpening): void {
    this.#tunnel = tunnel;
    tunnel.begin();
  }

  read(chunk: Buffer): boolean {
    if (!this.listens()) return true;
    this.#reads = true;
    if (this.#held === undefined) this.take(chunk, false);
    else this.hold(chunk, false);
    this.#reads = false;
    return !this.#stopped;
  }

  /** The client has finished sending: it has left, unless a tunnel has bytes of it (docs/adr/0042). */
  onEnd(): void {
    if (this.state === 'closing') this.socket.destroySoon();
    else if (this.#tunnel === undefined || this.#held === undefined) this.socket.end();
  }

  readOn(): void {
    if (!this.#stopped || (this.#held?.length ?? 0) >= MAX_HELD) return;
    this.#stopped = false;
    this.source.resume();
  }

  fail(failure: ProxyFailure): void {
    this.tell(failure);
    this.linger();
  }

  opened(): ByteSource {
    return this.leave();
  }

  /** The connection is somebody else's from now on: what was held is put back into its source. */
  leave(carries: Ongoing | undefined = this.#tunnel): ByteSource {
    this.state = 'left';
    this.#carries = carries;
    this.#tunnel = undefined;
    if (this.#held !== undefined) this.source.putBack(this.#held);
    this.#held = undefined;
    return this.source;
  }

  /** Refuses what comes on the connection: it is answered, then closed. */
  refuse(failure: ProxyFailure): void {
    this.host.refused(this, failure);
    this.tell(failure);
    this.linger();
  }

  /** The proxy ends: what is under way is finished, what waits for nothing is closed. */
  drain(): void {
    if (this.rests()) this.socket.destroy();
  }

  /**
   * Looks for what stands still, from the counters that the socket keeps anyway: nothing is set or reset when bytes move.
   *
   * @param now - in milliseconds
   */
  sweep(now: number): void {
    if (!this.#aged) {
      // Four system calls that connections of a moment do without.
      this.#aged = true;
      this.socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    }
    if (this.state === 'left') return;
    this.source.trim?.();
    const { limits, uptakes } = this.host;
    this.#uptake = uptakes.waitingFor(this.socket, this.#uptake);
    if (limits.write > 0 && (this.#uptake?.stillFor(now) ?? 0) >= limits.write) this.cutUnread();
    else if (this.state !== 'closing') this.sweepOpen(now);
    else if (this.hasWaited(now, CLOSING, LINGER_MS)) this.socket.destroy();
  }

  /** Whether nothing is under way. */
  protected abstract rests(): boolean;

  /**
   * Takes bytes, as long as it {@link listens}.
   *
   * @param isOurs - whether the bytes stay as they are
   */
  protected abstract take(chunk: Buffer, isOurs: boolean): void;

  /** Writes the answer to a failure, where the protocol has one. */
  protected abstract tell(failure: ProxyFailure): void;

  /** Looks at a connection that is neither closing nor gone to a tunnel: what it asks for has a time, dribbling or not. */
  protected sweepOpen(now: number): void {
    const { read } = this.host.limits;
    if (this.state === 'reading' && this.hasWaited(now, FIRST, read)) this.refuse(new ProxyFailure('request_timeout'));
  }

  /** Whether there is somebody to take more. */
  protected listens(): boolean {
    return this.state !== 'closing' && this.state !== 'left' && !this.socket.destroyed;
  }

  /** Keeps bytes for later: for the tunnel, or for the next request. */
  protected hold(bytes: Buffer, isOurs: boolean): void {
    if (this.#held !== undefined) this.#held = Buffer.concat([this.#held, bytes]);
    else this.#held = isOurs ? bytes : Buffer.from(bytes);
    if (this.#held.length >= MAX_HELD) this.stop();
  }

  /** Takes what was held; then reading goes on, if that stopped it. */
  protected takeHeld(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    this.goOn(() => {
      this.take(held, true);
    });
  }

  /** Does what may stop reading again; else it goes on, if it was stopped. */
  protected goOn(act: () => void): void {
    const stopped = this.#stopped;
    this.#stopped = false;
    act();
    if (stopped && !this.isStopped()) this.source.resume();
  }

  /** Reads nothing more until the credentials have been checked: the bytes that are being taken stay as they are. */
  protected async checkCredentials(
    users: Users,
    credentials: Credentials,
    then: (verdict: Verdict) => void,
  ): Promise<void> {
    this.state = 'checking';
    this.stop();
    const verdict = await users.check(credentials);
    if (this.socket.destroyed) return;
    this.goOn(() => {
      then(verdict);
    });
  }

  protected isStopped(): boolean {
    return this.#stopped;
  }

  protected stop(): void {
    this.#stopped = true;
    // During a read it is told by what that one returns.
    if (!this.#reads) this.socket.pause();
  }

  /**
   * Ends the connection, and reads away for a moment what the client still sends: closing a socket with unread bytes resets
   * the connection, and the client loses the answer (RFC 9112, section 9.6).
   */
  protected linger(): void {
    this.state = 'closing';
    this.#held = undefined;
    if (this.socket.readableEnded || !this.socket.writable) this.socket.destroySoon();
    else this.socket.end();
    this.readOn();
  }

  /**
   * Whether the figure, which no other wait has, has been the same for so long.
   *
   * @param matters - while it does not, it counts as moving
   */
  protected hasWaited(now: number, figure: number, limit: number, matters = true): boolean {
    return exceeds(this.#waits.for(now, figure, matters), limit);
  }

  /** The client takes nothing of what is written to it. */
  protected cutUnread(): void {
    this.socket.destroy();
  }

  protected closed(): void {
    this.#tunnel?.abort();
    this.#userMeter?.end();
    this.host.closed(this);
  }
}

const REFUSALS = { right: undefined, wrong: 'authentication_failed', busy: 'authentication_busy' } as const;

/** What a verdict on credentials means for whoever gave them. */
export function refusalOf(verdict: Verdict): ProxyFailure | undefined {
  const category = REFUSALS[verdict];
  return category && new ProxyFailure(category);
}

/** Whether a connection comes from one of the networks. */
export function isFrom(clients: Networks, { remoteAddress }: Socket): boolean {
  return remoteAddress !== undefined && clients.hasText(remoteAddress);
}

/** Whether so many milliseconds are over a limit; 0 is none. */
function exceeds(milliseconds: number, limit: number): boolean {
  return limit > 0 && milliseconds >= limit;
}
