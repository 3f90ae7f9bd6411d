import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseConnection, type Refusal } from './connection-errors.js';

const FAREWELL_MS = 200;

/**
 * Which connections a server has and which answers they still owe: what a drain waits for and then ends. Node closes
 * only idle connections by itself: one that sent nothing, or half a request, would hold the process.
 */
export class ConnectionBook {
  /** Answers owed, in the order of their requests (several only when a client pipelines). */
  readonly #owed = new Map<Socket, Set<ServerResponse>>();
  /** Connections whose last answer went out before the request's body was in: Node reads the rest away. */
  readonly #unread = new WeakSet<Socket>();
  readonly #refused = new WeakSet<Socket>();
  #settled: (() => void) | undefined;

  watch(server: Server): void {
    const track = (socket: Socket): void => {
      this.#owed.set(socket, new Set());
      socket.once('close', () => {
        this.#owed.delete(socket);
        this.#checkSettled();
      });
    };
    server.on('connection', track);
    // Of a TLS connection both are tracked: the plain one below it, which may hang in its handshake, and the secure one.
    server.on('secureConnection', track);
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const owed = this.#owed.get(socket);
    if (owed === undefined) return;
    owed.add(response);
    this.#unread.delete(socket);
    if (this.#settled !== undefined) response.shouldKeepAlive = false;
    response.once('close', () => {
      owed.delete(response);
      if (!request.complete) this.#unread.add(socket);
      this.#checkSettled();
    });
  }

  /** Answers what is not a request, after the answers that the connection still owes to the requests before it. */
  refuse(socket: Socket, refusal: Refusal): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const owed = [...(this.#owed.get(socket) ?? [])];
    const last = owed.at(-1);
    if (!this.#owed.has(socket)) {
      // A failed TLS handshake is told to Node's https server as an error of a client too: nothing can be written.
      socket.destroy();
    } else if (last?.req.complete === true) {
      last.once('close', () => {
        refuseConnection(socket, refusal);
      });
    } else if (this.#unread.has(socket) || owed.length > 1 || last?.headersSent === true) {
      socket.destroy();
    } else {
      refuseConnection(socket, refusal);
    }
  }

  /** Resolves when no answer is owed any more, or after the limit; connections are told to close with their answer. */
  async settle(limit: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#settled = () => {
      resolve(undefined);
    };
    for (const response of [...this.#owed.values()].flatMap((owed) => [...owed])) response.shouldKeepAlive = false;
    const timer = setTimeout(this.#settled, limit);
    this.#checkSettled();
    await promise;
    clearTimeout(timer);
  }

  /** Ends every connection: orderly where nothing is owed, and whatever is left after {@link FAREWELL_MS} at once. */
  endAll(): void {
    for (const [socket, owed] of this.#owed) {
      if (owed.size === 0) socket.destroySoon();
      else socket.destroy();
    }
    // What is left: a TLS handshake under way, a client that takes no bytes.
    setTimeout(() => {
      for (const socket of this.#owed.keys()) socket.destroy();
    }, FAREWELL_MS);
  }

  #checkSettled(): void {
    if (this.#settled === undefined) return;
    for (const owed of this.#owed.values()) if (owed.size > 0) return;
    this.#settled();
  }
}
