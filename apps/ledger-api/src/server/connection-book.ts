import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseConnection } from './connection-errors.js';
import type { ApiError } from '../http/errors.js';

/** An orderly end gets this long, in milliseconds. */
const FAREWELL_MS = 200;

interface Connection {
  /** The newest answer; those before it are out when it is, also when a client pipelines. */
  newest: ServerResponse | undefined;
  refused: boolean;
}

/**
 * Which connections a server has and which answers they still owe: what a drain waits for and then ends. Node closes
 * only idle connections by itself: one that sent nothing, or half a request, would hold the process.
 */
export class ConnectionBook {
  readonly #connections = new Map<Socket, Connection>();
  #checkSettled: (() => void) | undefined;

  watch(server: Server): void {
    const track = (socket: Socket): void => {
      this.#connections.set(socket, { newest: undefined, refused: false });
      socket.once('close', () => {
        this.#connections.delete(socket);
        this.#checkSettled?.();
      });
    };
    server.on('connection', track);
    // Of a TLS connection both are tracked: the plain one below it, which may hang in its handshake, and the secure one.
    server.on('secureConnection', track);
  }

  /**
   * Notes the answer to a request, and begins with the request: at once, or, on a connection that pipelines, when the answer
   * before it is out. So a request sees what the one before it wrote (RFC 9112, 9.3.2), and a connection costs what one
   * answer does, however many requests came in one read.
   */
  add(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req;
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    const { newest } = connection;
    connection.newest = response;
    if (this.#checkSettled !== undefined) this.#endAfter(response);
    if (newest === undefined || newest.closed) {
      begin();
      return;
    }
    // A client that pipelines endlessly is not read while a request waits, because the queue would grow.
    socket.pause();
    newest.once('close', () => {
      // Behind an answer that closes the connection nothing can be answered, so nothing is done.
      if (!socket.writable) return;
      if (connection.newest === response) socket.resume();
      else socket.pause();
      begin();
    });
  }

  /** Answers what is not a request, after the answer that the connection still owes to the request before it. */
  refuse(socket: Socket, refusal: ApiError): void {
    const connection = this.#connections.get(socket);
    // A failed TLS handshake is a client error of Node's https server too; no answer can be written to it.
    if (connection === undefined) socket.destroy();
    else if (!connection.refused) this.#refuse(socket, connection, refusal);
  }

  #refuse(socket: Socket, connection: Connection, refusal: ApiError): void {
    const { newest } = connection;
    connection.refused = true;
    if (newest === undefined || (newest.closed && newest.req.complete)) {
      refuseConnection(socket, refusal);
    } else if (newest.req.complete) {
      newest.once('close', () => {
        refuseConnection(socket, refusal);
      });
    } else if (newest.headersSent || newest.socket === null) {
      // The answer to this request is out, or another is before it: a refusal would be taken for something else.
      socket.destroy();
    } else {
      refuseConnection(socket, refusal);
    }
  }

  /** Resolves when every answer is sent, or after the limit; answers close their connections. */
  async settle(limit: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#checkSettled = () => {
      if (this.#owed().length === 0) resolve(undefined);
    };
    for (const response of this.#owed()) this.#endAfter(response);
    this.#checkSettled();
    const timer = setTimeout(() => {
      resolve(undefined);
    }, limit);
    await promise;
    clearTimeout(timer);
  }

  /** Ends every connection: orderly where nothing is owed, and whatever is left after {@link FAREWELL_MS} at once. */
  endAll(): void {
    const owed = new Set(this.#owed().map(({ req }) => req.socket));
    for (const socket of this.#connections.keys()) {
      if (owed.has(socket)) socket.destroy();
      else socket.destroySoon();
    }
    // What is left: a TLS handshake under way, a client that takes no bytes.
    setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, FAREWELL_MS);
  }

  #owed(): ServerResponse[] {
    return [...this.#connections.values()].flatMap(({ newest }) =>
      newest === undefined || newest.closed ? [] : [newest],
    );
  }

  #endAfter(response: ServerResponse): void {
    response.shouldKeepAlive = false;
    response.once('close', () => this.#checkSettled?.());
  }
}
