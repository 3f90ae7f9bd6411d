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

const NOTHING: SocketCounters = { bytesRead: 0, bytesWritten: 0 };

/**
 * Sums what passed through many sockets by reading their own counters when somebody asks: the bytes of the sockets
 * that ended, kept as a sum, and those of the live ones. So the sums grow while data moves and no chunk costs anything.
 *
 * `bytesWritten` includes what is still queued and falls when a socket is destroyed with a full queue; the totals
 * then stand still until the true sum has caught up.
 */
export class ByteMeter {
  readonly #live = new Map<SocketCounters, SocketCounters>();
  #closedSent = 0;
  #closedReceived = 0;
  #shownSent = 0;
  #shownReceived = 0;

  /**
   * Starts to count a socket's bytes.
   *
   * @param socket - the socket; tracking it twice replaces its baseline
   * @param baseline - the socket's counters when counting shall begin, for instance after a handshake
   */
  track(socket: SocketCounters, baseline: SocketCounters = NOTHING): void {
    this.#live.set(socket, { bytesRead: baseline.bytesRead, bytesWritten: baseline.bytesWritten });
  }

  /** Adds the socket's bytes to the sum of the ended ones and forgets the socket; harmless when it is not tracked. */
  untrack(socket: SocketCounters): void {
    const baseline = this.#live.get(socket);
    if (baseline === undefined) return;
    this.#live.delete(socket);
    this.#closedSent += since(socket.bytesWritten, baseline.bytesWritten);
    this.#closedReceived += since(socket.bytesRead, baseline.bytesRead);
  }

  totals(): ByteTotals {
    let sent = this.#closedSent;
    let received = this.#closedReceived;
    for (const [socket, baseline] of this.#live) {
      sent += since(socket.bytesWritten, baseline.bytesWritten);
      received += since(socket.bytesRead, baseline.bytesRead);
    }
    this.#shownSent = Math.max(this.#shownSent, sent);
    this.#shownReceived = Math.max(this.#shownReceived, received);
    return { sent: this.#shownSent, received: this.#shownReceived };
  }
}

function since(now: number, baseline: number): number {
  return Math.max(0, now - baseline);
}
