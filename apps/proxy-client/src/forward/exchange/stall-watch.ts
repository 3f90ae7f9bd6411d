import { ProxyFailure } from '../../failure/proxy-failure.js';
import type { Exchange } from './exchange.js';
import type { Socket } from 'node:net';

/** Milliseconds; 0 means no limit. */
export interface StallLimits {
  /** How long the client may owe us bytes of its request without sending one. */
  readonly read: number;
  /** How long the client may take nothing of what is written to it. */
  readonly write: number;
  /** How long the origin may send nothing while we wait for its answer, or for more of it. */
  readonly response: number;
}

/** Since when a figure has stood still, as far as it was looked at. */
class Standstill {
  #figure = -1;
  #since = 0;

  /** How long the figure has been the same; 0 while it does not matter. */
  for(now: number, figure: number, matters: boolean): number {
    if (!matters || figure !== this.#figure) {
      this.#figure = matters ? figure : -1;
      this.#since = now;
    }
    return now - this.#since;
  }
}

/**
 * Finds the exchanges of one client connection that stand still, from the counters that the sockets keep anyway: nothing
 * is set or reset when bytes move.
 */
export class StallWatch {
  readonly #read = new Standstill();
  readonly #write = new Standstill();
  readonly #response = new Standstill();

  /** Looks again, `now` in milliseconds; ends what has stood still for too long. */
  check(now: number, socket: Socket, exchange: Exchange | undefined, limits: StallLimits): void {
    if (exceeds(this.#write.for(now, taken(socket), socket.writableLength > 0), limits.write)) {
      exchange?.fail(new ProxyFailure('response_cut', { detail: 'the client took nothing for timeouts.write' }));
      socket.destroy();
      return;
    }
    if (exchange === undefined) return;
    if (exceeds(this.#read.for(now, socket.bytesRead, exchange.awaitsClient), limits.read)) {
      exchange.fail(new ProxyFailure('request_body_timeout'));
    } else if (exceeds(this.#response.for(now, moved(exchange), exchange.awaitsOrigin), limits.response)) {
      exchange.fail(new ProxyFailure('response_timeout'));
    }
  }
}

function exceeds(milliseconds: number, limit: number): boolean {
  return limit > 0 && milliseconds >= limit;
}

/** Bytes that the client's side of the connection has taken. */
function taken(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

/** Bytes of the connection to the origin, in both directions: a slow upload is not the origin's silence. */
function moved({ connection }: Exchange): number {
  return connection === undefined ? 0 : connection.socket.bytesRead + connection.socket.bytesWritten;
}
