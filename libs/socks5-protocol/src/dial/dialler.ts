import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import { contain, type DefectOwner, startTimer } from '../session/contain.js';
import { answerLater, Resolver, type Resolved } from './resolver.js';

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/**
 * - `UNRESOLVED`: the name has no address
 * - `PROHIBITED`: it has addresses, none of which is allowed
 * - `FAILED`: none of them accepted the connection; the cause is the most specific error
 * - `TIMEOUT`: the timeout has expired
 * - `NO_DESCRIPTOR`: this process has no free file descriptor, which says nothing about the target
 * - `DEFECT`: an unexpected exception in this program: its cause
 */
export type DialErrorCode =
  | 'DIAL.UNRESOLVED'
  | 'DIAL.PROHIBITED'
  | 'DIAL.FAILED'
  | 'DIAL.TIMEOUT'
  | 'DIAL.NO_DESCRIPTOR'
  | 'DIAL.DEFECT';

/** A TCP connection could not be opened. */
export class DialError extends Error {
  readonly code: DialErrorCode;

  constructor(code: DialErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'DialError';
    this.code = code;
  }
}

/** An object that holds a connecting socket. */
export interface Dialled {
  readonly socket: Socket;
}

/** A running attempt to connect. */
export interface DialAttempt {
  /** Aborts the attempt: no callback is called any more. */
  abort(): void;
  /** Fails now with `DIAL.TIMEOUT`. */
  expire(): void;
}

export interface DialOptions<Connection extends Dialled> {
  readonly target: HostAndPort;
  /** Returns whether this address of the target is allowed; absent: all are. */
  readonly admit?: (address: string) => boolean;
  /** Starts a connection to an address; its socket has an 'error' listener. */
  readonly open: (to: HostAndPort) => Connection;
  /** Milliseconds for the whole attempt, name resolution included; 0 means no limit. */
  readonly timeout: number;
  readonly connected: (connection: Connection) => void;
  readonly failed: (error: DialError) => void;
}

/** RFC 8305, section 8: the delay between the start of one attempt and the next. */
const ATTEMPT_DELAY_MS = 250;
/** How long the address that won is tried first. */
const PREFERENCE_MS = 600_000;
/** EMFILE: the limit of this process; ENFILE: the limit of the machine. */
const NO_DESCRIPTOR: readonly unknown[] = ['EMFILE', 'ENFILE'];
/** The maximum number of cached names; beyond it the cache is cleared. */
const MAX_NAMES = 1000;

/**
 * Connects to names and addresses from this machine. A name is resolved once per attempt, and the addresses that are checked
 * are the ones that are connected to, so DNS rebinding has no effect.
 */
export class Dialler {
  readonly #resolver: Resolver;
  readonly #cacheMs: number;
  readonly #cache = new Map<string, { readonly addresses: readonly LookupAddress[]; readonly until: number }>();
  /** Hosts whose first address did not answer: the address that did, and until when it is tried first. */
  readonly #preferences = new Map<string, { readonly winner: LookupAddress; readonly until: number }>();

  /** @param cacheMs - how long the addresses of a name are cached unless they fail */
  constructor(resolver = new Resolver(), cacheMs = 0) {
    this.#resolver = resolver;
    this.#cacheMs = cacheMs;
  }

  /** Connects; calls either `connected` or `failed`, once and asynchronously. */
  dial<Connection extends Dialled>(options: DialOptions<Connection>): DialAttempt {
    const { host } = options.target;
    const failed = (error: DialError): void => {
      if (error.code !== 'DIAL.NO_DESCRIPTOR') this.#cache.delete(host);
      options.failed(error);
    };
    const race = new Race({ ...options, failed }, (winner, first) => {
      if (winner.address !== first.address) this.#prefer(host, winner);
    });
    race.stopResolving = this.#resolve(host, (error, addresses) => {
      contain(race, () => {
        if (error === null && addresses.length > 0) race.run(this.#sort(host, addresses));
        else race.fail(errorOf('DIAL.UNRESOLVED', 'The name cannot be resolved.', error));
      });
    });
    return race;
  }

  #resolve(host: string, answer: Resolved): () => void {
    const cached = this.#cache.get(host);
    if (cached !== undefined && performance.now() < cached.until) return answerLater(answer, cached.addresses);
    return this.#resolver.resolve(host, (error, addresses) => {
      const until = performance.now() + this.#cacheMs;
      if (this.#cacheMs > 0 && error === null) remember(this.#cache, host, { addresses, until });
      answer(error, addresses);
    });
  }

  /** Interleaves the address families (RFC 8305, section 4), starting with the last winner or as the system does. */
  #sort(host: string, addresses: readonly LookupAddress[]): readonly LookupAddress[] {
    if (addresses.length === 1) return addresses;
    const preference = this.#preferences.get(host);
    const winner = preference !== undefined && performance.now() < preference.until ? preference.winner : undefined;
    const family = winner?.family ?? addresses[0]?.family;
    const preferred = addresses.filter((each) => each.family === family);
    preferred.sort((a, b) => Number(b.address === winner?.address) - Number(a.address === winner?.address));
    const others = addresses.filter((each) => each.family !== family);
    return Array.from({ length: Math.max(preferred.length, others.length) }, (_, index) => [
      ...preferred.slice(index, index + 1),
      ...others.slice(index, index + 1),
    ]).flat();
  }

  #prefer(host: string, winner: LookupAddress): void {
    remember(this.#preferences, host, { winner, until: performance.now() + PREFERENCE_MS });
  }
}

/** Returns the error of a failed attempt: `DIAL.NO_DESCRIPTOR` if that is the cause. */
function errorOf(code: DialErrorCode, message: string, cause: NodeJS.ErrnoException | null | undefined): DialError {
  return NO_DESCRIPTOR.includes(cause?.code)
    ? new DialError('DIAL.NO_DESCRIPTOR', 'No file descriptor is available for a connection.', cause)
    : new DialError(code, message, cause ?? undefined);
}

function remember<T>(names: Map<string, T>, name: string, value: T): void {
  if (names.size >= MAX_NAMES) names.clear();
  names.set(name, value);
}

/**
 * The race of RFC 8305, section 5, between the addresses of one target ("Happy Eyeballs"): each attempt starts a delay after
 * the previous one, or at once when that one failed, and runs concurrently. The first connection wins; the others are closed.
 */
class Race<Connection extends Dialled> implements DialAttempt, DefectOwner {
  stopResolving: (() => void) | undefined;
  readonly #options: DialOptions<Connection>;
  readonly #won: (winner: LookupAddress, first: LookupAddress) => void;
  readonly #timeout: NodeJS.Timeout | undefined;
  readonly #running = new Set<Connection>();
  #waiting: LookupAddress[] = [];
  #first: LookupAddress | undefined;
  #nextAttempt: NodeJS.Timeout | undefined;
  #error: NodeJS.ErrnoException | undefined;
  #isFinished = false;

  constructor(options: DialOptions<Connection>, won: (winner: LookupAddress, first: LookupAddress) => void) {
    this.#options = options;
    this.#won = won;
    const { timeout } = options;
    this.#timeout = startTimer(this, timeout, this.expire.bind(this));
  }

  run(addresses: readonly LookupAddress[]): void {
    const { admit } = this.#options;
    this.#waiting = admit === undefined ? [...addresses] : addresses.filter(({ address }) => admit(address));
    this.#first = this.#waiting[0];
    if (this.#first === undefined) {
      this.fail(new DialError('DIAL.PROHIBITED', 'No address of the target is allowed.'));
    } else {
      this.#startNext();
    }
  }

  fail(error: DialError): void {
    if (!this.#isFinished) {
      this.abort();
      this.#options.failed(error);
    }
  }

  expire(): void {
    this.fail(new DialError('DIAL.TIMEOUT', 'The target did not accept the connection in time.', this.#error));
  }

  onDefect(error: unknown): void {
    this.abort();
    this.#options.failed(new DialError('DIAL.DEFECT', 'The attempt to connect has failed.', error));
  }

  abort(): void {
    this.#isFinished = true;
    clearTimeout(this.#timeout);
    clearTimeout(this.#nextAttempt);
    this.stopResolving?.();
    for (const { socket } of this.#running) {
      socket.destroy();
    }
    this.#running.clear();
  }

  #startNext(): void {
    const address = this.#waiting.shift();
    if (address === undefined) return;
    const connection = this.#options.open({ host: address.address, port: this.#options.target.port });
    const { socket } = connection;
    const onConnect = (): void => {
      socket.off('close', onClose);
      contain(this, () => {
        this.#win(connection, address);
      });
    };
    const onClose = (): void => {
      socket.off('connect', onConnect);
      contain(this, () => {
        this.#lose(connection);
      });
    };
    this.#running.add(connection);
    socket.once('connect', onConnect).once('close', onClose);
    if (this.#waiting.length > 0) this.#nextAttempt = startTimer(this, ATTEMPT_DELAY_MS, this.#startNext.bind(this));
  }

  #win(connection: Connection, address: LookupAddress): void {
    this.#running.delete(connection);
    this.abort();
    this.#won(address, this.#first ?? address);
    this.#options.connected(connection);
  }

  #lose(connection: Connection): void {
    if (this.#isFinished) return;
    this.#running.delete(connection);
    const error: NodeJS.ErrnoException | null = connection.socket.errored;
    // A closed port is more specific than a missing route to another address.
    if (relevance(error) > relevance(this.#error)) this.#error = error ?? undefined;
    clearTimeout(this.#nextAttempt);
    this.#startNext();
    if (this.#running.size === 0) {
      this.fail(errorOf('DIAL.FAILED', 'The target did not accept the connection.', this.#error));
    }
  }
}

/** Ranks the errors of the addresses of a target: the most specific one is reported. */
function relevance(error: NodeJS.ErrnoException | null | undefined): number {
  if (error === null || error === undefined) return 0;
  if (NO_DESCRIPTOR.includes(error.code)) return 3;
  return error.code === 'ECONNREFUSED' ? 2 : 1;
}
