import { LiveList, NOT_LISTED, type Listed } from './live-list.js';

/** The counters of a socket, as `net.Socket` has them. */
export interface SocketCounters {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/** Bytes since the meter was created. Neither figure ever decreases. */
export interface ByteTotals {
  /** Bytes written to the metered sockets. */
  readonly sent: number;
  /** Bytes read from the metered sockets. */
  readonly received: number;
}

const ZERO: SocketCounters = { bytesRead: 0, bytesWritten: 0 };

/**
 * Sums the bytes of many sockets from their own counters when the totals are read, so that counting costs nothing per chunk.
 *
 * `bytesWritten` includes queued bytes and decreases when a socket is destroyed with a full queue; the totals then stay
 * constant until the true sum has caught up.
 */
export class ByteMeter {
  readonly #live = new LiveList<MeteredSocket>();
  #closedSent = 0;
  #closedReceived = 0;
  #reportedSent = 0;
  #reportedReceived = 0;

  /**
   * Starts to count a socket's bytes.
   *
   * @param baseline - the socket's counters from which to count, for instance at the end of a handshake
   */
  track(socket: SocketCounters, baseline: SocketCounters = ZERO): MeteredSocket {
    const metered = new MeteredSocket(this, socket, baseline);
    this.#live.add(metered);
    return metered;
  }

  /** @internal */
  close(metered: MeteredSocket): void {
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
    this.#reportedSent = Math.max(this.#reportedSent, sent);
    this.#reportedReceived = Math.max(this.#reportedReceived, received);
    return { sent: this.#reportedSent, received: this.#reportedReceived };
  }
}

/** A socket whose bytes are counted. */
export class MeteredSocket implements Listed {
  index = NOT_LISTED;
  readonly #meter: ByteMeter;
  readonly #socket: SocketCounters;
  readonly #baseline: SocketCounters;

  constructor(meter: ByteMeter, socket: SocketCounters, { bytesRead, bytesWritten }: SocketCounters) {
    this.#meter = meter;
    this.#socket = socket;
    // A copy: the baseline may be the socket itself, whose counters change.
    this.#baseline = { bytesRead, bytesWritten };
  }

  get sent(): number {
    return Math.max(0, this.#socket.bytesWritten - this.#baseline.bytesWritten);
  }

  get received(): number {
    return Math.max(0, this.#socket.bytesRead - this.#baseline.bytesRead);
  }

  /** Adds the socket's bytes to the total of closed sockets and releases it. Has no effect when called again. */
  end(): void {
    this.#meter.close(this);
  }
}
