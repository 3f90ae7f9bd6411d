import { LiveList, NOWHERE, type Listed } from './live-list.js';

/** What a socket counts by itself: `net.Socket` has both. */
export interface SocketCounters {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/** Bytes since the meter was made. Neither figure ever falls. */
export interface ByteTotals {
  /** Bytes written to the metered sockets. */
  readonly sent: number;
  /** Bytes read from the metered sockets. */
  readonly received: number;
}

/** A socket whose bytes are counted. */
export interface MeteredSocket {
  /** Adds the socket's bytes to the sum of the ended ones and forgets the socket; harmless when that was done. */
  end(): void;
}

const NOTHING: SocketCounters = { bytesRead: 0, bytesWritten: 0 };

/**
 * Sums what passed through many sockets by reading their own counters when somebody asks: the bytes of the sockets
 * that ended, kept as a sum, and those of the live ones. So the sums grow while data moves and no chunk costs anything.
 *
 * `bytesWritten` includes what is still queued and falls when a socket is destroyed with a full queue; the totals
 * then stand still until the true sum has caught up.
 */
export class ByteMeter {
  readonly #live = new LiveList<Metered>();
  #closedSent = 0;
  #closedReceived = 0;
  #shownSent = 0;
  #shownReceived = 0;

  /**
   * Starts to count a socket's bytes.
   *
   * @param baseline - the socket's counters when counting shall begin, for instance after a handshake
   */
  track(socket: SocketCounters, baseline: SocketCounters = NOTHING): MeteredSocket {
    const metered = new Metered(this, socket, baseline);
    this.#live.add(metered);
    return metered;
  }

  /** @internal */
  ended(metered: Metered): void {
    if (!this.#live.delete(metered)) return;
    this.#closedSent += metered.sent;
    this.#closedReceived += metered.received;
  }

  totals(): ByteTotals {
    let sent = this.#closedSent;
    let received = this.#closedReceived;
    for (const metered of this.#live) {
      sent += metered.sent;
      received += metered.received;
    }
    this.#shownSent = Math.max(this.#shownSent, sent);
    this.#shownReceived = Math.max(this.#shownReceived, received);
    return { sent: this.#shownSent, received: this.#shownReceived };
  }
}

class Metered implements MeteredSocket, Listed {
  place = NOWHERE;
  readonly #meter: ByteMeter;
  readonly #socket: SocketCounters;
  readonly #read: number;
  readonly #written: number;

  constructor(meter: ByteMeter, socket: SocketCounters, { bytesRead, bytesWritten }: SocketCounters) {
    this.#meter = meter;
    this.#socket = socket;
    this.#read = bytesRead;
    this.#written = bytesWritten;
  }

  get sent(): number {
    return Math.max(0, this.#socket.bytesWritten - this.#written);
  }

  get received(): number {
    return Math.max(0, this.#socket.bytesRead - this.#read);
  }

  end(): void {
    this.#meter.ended(this);
  }
}
