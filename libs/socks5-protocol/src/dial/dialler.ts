import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import { type Deadline, Deadlines } from '../connector/deadlines.js';
import type { HostAndPort } from './own-address.js';
import { Resolver } from './resolver.js';

/**
 * - `UNRESOLVED`: the name has no address
 * - `PROHIBITED`: it has addresses, none of which may be connected to
 * - `FAILED`: none of them accepted the connection; the cause is the error of the one that tells most
 * - `TIMEOUT`: it was not over in time
 */
export type DialErrorCode = 'DIAL.UNRESOLVED' | 'DIAL.PROHIBITED' | 'DIAL.FAILED' | 'DIAL.TIMEOUT';

/** A direct connection could not be made. */
export class DialError extends Error {
  readonly code: DialErrorCode;

  constructor(code: DialErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'DialError';
    this.code = code;
  }
}

/** A connection that was begun. */
export interface Dialled {
  readonly socket: Socket;
}

/** A connection under way. */
export interface DialAttempt {
  /** Gives up: nothing more will be called. */
  cancel(): void;
  /** Fails now, as if its time had run out. */
  expire(): void;
}

export interface DialOptions<Connection extends Dialled> {
  readonly target: HostAndPort;
  /** Whether this address, one of those that the target has, may be connected to. */
  readonly admit: (address: string) => boolean;
  /** Begins a connection to an address; its socket has an 'error' listener. */
  readonly open: (to: HostAndPort) => Connection;
  /** Milliseconds for all of it, the look-up included; 0 means no limit. */
  readonly timeout: number;
  readonly connected: (connection: Connection) => void;
  readonly failed: (error: DialError) => void;
}

/** RFC 8305, section 8: so much later than the attempt before, the next one begins. */
const ATTEMPT_DELAY_MS = 250;
/** For so long a host's other family of addresses is tried first, after it has won. */
const PREFERENCE_MS = 600_000;
const MAX_PREFERENCES = 1000;

/**
 * Connects to names and addresses from this machine. A name is resolved once, and what is checked is what is connected to, so
 * that a second answer of its DNS server leads nowhere.
 */
export class Dialler {
  readonly #resolver: Resolver;
  /** Hosts whose first addresses did not answer: the family that did, and until when it goes first. */
  readonly #preferences = new Map<string, { readonly family: number; readonly until: number }>();

  constructor(resolver = new Resolver()) {
    this.#resolver = resolver;
  }

  /** Connects; either `connected` or `failed` is called, once and later. */
  dial<Connection extends Dialled>(options: DialOptions<Connection>): DialAttempt {
    const race = new Race(options, (winner, first) => {
      this.#note(options.target.host, winner, first);
    });
    const forget = this.#resolver.resolve(options.target.host, (error, addresses) => {
      if (error === null && addresses.length > 0) {
        race.run(this.#order(options.target.host, addresses));
      } else {
        race.fail(new DialError('DIAL.UNRESOLVED', 'The name cannot be resolved.', error ?? undefined));
      }
    });
    race.whenOver = forget;
    return race;
  }

  /** RFC 8305, section 4: the families take turns, and the one that the system puts first begins. */
  #order(host: string, addresses: readonly LookupAddress[]): readonly LookupAddress[] {
    const preference = this.#preferences.get(host);
    const first = preference !== undefined && performance.now() < preference.until ? preference.family : undefined;
    const family = first ?? addresses[0]?.family;
    const preferred = addresses.filter((each) => each.family === family);
    const others = addresses.filter((each) => each.family !== family);
    return Array.from({ length: Math.max(preferred.length, others.length) }, (_, index) => [
      ...preferred.slice(index, index + 1),
      ...others.slice(index, index + 1),
    ]).flat();
  }

  #note(host: string, winner: LookupAddress, first: LookupAddress): void {
    if (winner.family !== first.family) {
      if (this.#preferences.size >= MAX_PREFERENCES) {
        this.#preferences.clear();
      }
      this.#preferences.set(host, { family: winner.family, until: performance.now() + PREFERENCE_MS });
    }
  }
}

/**
 * The race of RFC 8305, section 5, between the addresses of one target: each attempt begins a moment after the one before, or
 * at once when that has failed, and goes on beside it. The first connection that stands wins; the others are ended.
 */
class Race<Connection extends Dialled> implements Deadline, DialAttempt {
  whenOver: (() => void) | undefined;
  next: Deadline | undefined;
  previous: Deadline | undefined;
  list: Deadlines | undefined;
  due = 0;
  readonly #options: DialOptions<Connection>;
  readonly #won: (winner: LookupAddress, first: LookupAddress) => void;
  readonly #running = new Set<Connection>();
  #waiting: LookupAddress[] = [];
  #first: LookupAddress | undefined;
  #timer: NodeJS.Timeout | undefined;
  #error: NodeJS.ErrnoException | undefined;
  #isOver = false;

  constructor(options: DialOptions<Connection>, won: (winner: LookupAddress, first: LookupAddress) => void) {
    this.#options = options;
    this.#won = won;
    if (options.timeout > 0) {
      Deadlines.of(options.timeout).begin(this);
    }
  }

  run(addresses: readonly LookupAddress[]): void {
    this.#waiting = addresses.filter(({ address }) => this.#options.admit(address));
    this.#first = this.#waiting[0];
    if (this.#first === undefined) {
      this.fail(new DialError('DIAL.PROHIBITED', 'No address of the target may be connected to.'));
    } else {
      this.#attempt();
    }
  }

  fail(error: DialError): void {
    if (!this.#isOver) {
      this.cancel();
      this.#options.failed(error);
    }
  }

  expire(): void {
    this.fail(new DialError('DIAL.TIMEOUT', 'The target did not accept the connection in time.', this.#error));
  }

  /** Ends all that is under way. */
  cancel(): void {
    this.#isOver = true;
    Deadlines.end(this);
    clearTimeout(this.#timer);
    this.whenOver?.();
    for (const { socket } of this.#running) {
      socket.destroy();
    }
    this.#running.clear();
  }

  #attempt(): void {
    const address = this.#waiting.shift();
    if (address === undefined) {
      return;
    }
    const connection = this.#options.open({ host: address.address, port: this.#options.target.port });
    const { socket } = connection;
    const onConnect = (): void => {
      socket.off('close', onClose);
      this.#win(connection, address);
    };
    const onClose = (): void => {
      socket.off('connect', onConnect);
      this.#lose(connection);
    };
    this.#running.add(connection);
    socket.once('connect', onConnect).once('close', onClose);
    if (this.#waiting.length > 0) {
      this.#timer = setTimeout(() => {
        this.#attempt();
      }, ATTEMPT_DELAY_MS);
    }
  }

  #win(connection: Connection, address: LookupAddress): void {
    this.#running.delete(connection);
    this.cancel();
    this.#won(address, this.#first ?? address);
    this.#options.connected(connection);
  }

  #lose(connection: Connection): void {
    if (this.#isOver) {
      return;
    }
    this.#running.delete(connection);
    const error: NodeJS.ErrnoException | null = connection.socket.errored;
    // That the port is closed says more than that there is no route to some other address.
    if (this.#error === undefined || error?.code === 'ECONNREFUSED') {
      this.#error = error ?? undefined;
    }
    clearTimeout(this.#timer);
    this.#attempt();
    if (this.#running.size === 0) {
      this.fail(new DialError('DIAL.FAILED', 'The target did not accept the connection.', this.#error));
    }
  }
}
