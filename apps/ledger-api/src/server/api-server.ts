import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { deadlineOf, failLines } from '#bulk-data';
import { ApiError } from '../http/errors.js';
import { closeAfterAnswer, refuse } from './refused-connection.js';
import { TLS_OPTIONS } from './tls-identity.js';

/** Limits of both listeners, in milliseconds. */
export const LISTENER_LIMITS = Object.freeze({
  /** The head of a request must arrive within this time, and its body too, unless it is read line by line. */
  request: 30_000,
  /** An idle connection stays open for this time. */
  idle: 65_000,
  /** A connection on which no byte moves is closed after this time; longer than a commit may take. */
  stall: 150_000,
  /** A TLS handshake must finish within this time. */
  handshake: 10_000,
  /** The interval of the checks for slow connections. */
  check: 1_000,
  /** A connection is closed this long after its last answer, whatever the client does. */
  linger: 2_000,
  /** In-flight requests may finish within this time after a stop. */
  drain: 10_000,
});
export type ListenerLimits = Readonly<Record<keyof typeof LISTENER_LIMITS, number>>;

/** Longest request line and headers: three filters of 4,096 bytes, percent-encoded, and ordinary headers. */
const MAX_HEAD_BYTES = 48 * 1024;
/** After a drain, connections get this time in milliseconds to close in an orderly way. */
const CLOSE_MS = 200;
/** The interval in milliseconds at which a drain checks whether all responses are complete. */
const DRAIN_POLL_MS = 10;

interface Connection {
  /** The newest response. Earlier ones are complete when it is, also when a client pipelines. */
  newest: ServerResponse | undefined;
  /** When the head of its request was complete, by performance.now(). */
  since: number;
  isRefused: boolean;
}

/**
 * A listening http or https server. Both have the same limits, error responses and drain: Fastify sets these up only for the
 * server that it creates itself.
 */
export class ApiServer {
  readonly server: Server;
  /** Of a TLS connection the plain socket, which may hang in its handshake, and the secure one. */
  readonly #connections = new Map<Socket, Connection>();

  /** @param identity - makes it an https server */
  constructor(
    private readonly handler: RequestListener,
    private readonly limits: ListenerLimits = LISTENER_LIMITS,
    identity?: SecureContextOptions,
  ) {
    this.server = createListener(limits, identity);
    this.#addListeners();
  }

  /** @throws the system's error (`EADDRINUSE`, `EACCES`, `ENOTFOUND` …) when it cannot listen there */
  async listen(host: string, port: number): Promise<number> {
    this.server.listen({ host, port });
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Uses another certificate for later handshakes; for https only. */
  replaceIdentity(identity: SecureContextOptions): void {
    (this.server as SecureServer).setSecureContext({ ...TLS_OPTIONS, ...identity });
  }

  /**
   * Stops accepting, waits for in-flight responses up to the limit, then closes every connection. Node closes only idle
   * connections itself: one that sent nothing, or half a request, would keep the process running.
   */
  async drain(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    // Fastify closes the connections of later requests too.
    for (const response of this.#openResponses()) response.shouldKeepAlive = false;
    const end = performance.now() + this.limits.drain;
    while (this.#openResponses().length > 0 && performance.now() < end) await delay(DRAIN_POLL_MS);
    const busy = new Set(this.#openResponses().map(({ req }) => req.socket));
    for (const socket of this.#connections.keys()) {
      if (busy.has(socket)) socket.destroy();
      else socket.destroySoon();
    }
    // Remaining: TLS handshakes, and clients that read nothing.
    setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, CLOSE_MS);
    await closed;
  }

  #addListeners(): void {
    const { server, limits } = this;
    const track = (socket: Socket): void => {
      this.#connections.set(socket, { newest: undefined, since: 0, isRefused: false });
      socket.once('close', () => this.#connections.delete(socket));
    };
    const answer = this.#answer.bind(this);
    server.on('connection', track);
    server.on('secureConnection', track);
    server.on('request', answer);
    // Refused by the handler, in the API's own error shape.
    server.on('checkExpectation', answer);
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      holdContinue(response);
      answer(request, response);
    });
    server.on('connect', (_request: IncomingMessage, socket: Socket) => {
      refuse(socket, NO_CONNECT, limits.linger);
    });
    server.on('clientError', (error: Error, socket: Socket) => {
      this.#onClientError(socket, REFUSALS[(error as NodeJS.ErrnoException).code ?? ''] ?? MALFORMED);
    });
    const check = setInterval(() => {
      this.#endLateBodies();
    }, limits.check).unref();
    server.once('close', () => {
      clearInterval(check);
    });
  }

  /** Node's own limit for a whole request cannot be extended for one request. */
  #endLateBodies(): void {
    const now = performance.now();
    for (const [socket, { newest, since }] of this.#connections) {
      if (newest === undefined || newest.req.complete) continue;
      if (now > (deadlineOf(newest.req) ?? since + this.limits.request)) this.#onClientError(socket, TOO_LATE);
    }
  }

  /**
   * Handles a request, on a connection that pipelines only when the response before it is complete. So a request sees the
   * writes of the one before it (RFC 9112, 9.3.2), and a connection uses the memory of one response.
   */
  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    const { newest } = connection;
    connection.newest = response;
    // Before Node's own listener, which closes the connection at once or waits for the next request.
    response.prependOnceListener('finish', () => {
      if (!request.complete) this.#closeUnread(socket, connection);
    });
    if (newest === undefined || newest.closed) {
      connection.since = performance.now();
      this.handler(request, response);
      return;
    }
    // Not read while a request waits: the queue of a client that pipelines endlessly would grow. Its time begins with its turn.
    connection.since = Infinity;
    socket.pause();
    newest.once('close', () => {
      // After a response that closes the connection, no request is handled.
      if (!socket.writable) return;
      if (connection.newest === response) {
        connection.since = performance.now();
        socket.resume();
      } else socket.pause();
      this.handler(request, response);
    });
  }

  /** Closes a connection whose last request was answered before all of its body arrived. */
  #closeUnread(socket: Socket, connection: Connection): void {
    connection.isRefused = true;
    // Node calls it after a response with Connection: close. The client may still be sending, and would get a reset.
    socket.destroySoon = () => undefined;
    closeAfterAnswer(socket, this.limits.linger);
  }

  /** Answers bytes that are no request, after the response to the request before them. */
  #onClientError(socket: Socket, error: ApiError): void {
    const connection = this.#connections.get(socket);
    // A failed TLS handshake is a client error too, to which no response can be written.
    if (connection === undefined) socket.destroy();
    else if (!connection.isRefused) {
      connection.isRefused = true;
      this.#refuse(socket, connection.newest, error);
    }
  }

  #refuse(socket: Socket, newest: ServerResponse | undefined, error: ApiError): void {
    if (newest === undefined || (newest.closed && newest.req.complete)) {
      refuse(socket, error, this.limits.linger);
    } else if (newest.req.complete) {
      newest.once('close', () => {
        refuse(socket, error, this.limits.linger);
      });
    } else if (failLines(newest.req, error)) {
      // Lines were written already: their answer, which states how many, comes first.
      newest.shouldKeepAlive = false;
      newest.once('close', () => {
        socket.destroySoon();
      });
    } else if (newest.headersSent || newest.socket === null) {
      // The response to this request was sent, or another one is before it: the client would mistake the refusal for it.
      socket.destroy();
    } else {
      refuse(socket, error, this.limits.linger);
    }
  }

  #openResponses(): ServerResponse[] {
    return [...this.#connections.values()].flatMap(({ newest }) => newest ?? []).filter(({ closed }) => !closed);
  }
}

const TOO_LATE = new ApiError('API.REQUEST_TIMEOUT');
/** The errors of Node's parser and timers that are answered before there is a request. */
const REFUSALS: Readonly<Record<string, ApiError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: TOO_LATE,
  HPE_HEADER_OVERFLOW: new ApiError('API.HEADER_TOO_LARGE'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError('API.BODY_TOO_LARGE', 'The chunk extensions of the body are too large.'),
};
const MALFORMED = new ApiError('API.INVALID_REQUEST', 'The request is not valid HTTP/1.1.');
const NO_CONNECT = new ApiError('API.METHOD_NOT_ALLOWED', 'CONNECT is not supported: this is not a proxy.', {
  headers: {},
});

/** Responses to requests with Expect: 100-continue that got no 100 Continue yet, with their `shouldKeepAlive`. */
const held = new WeakMap<ServerResponse, boolean>();

/** Without 100 Continue the client may or may not send its body, so that the connection must be closed. */
function holdContinue(response: ServerResponse): void {
  held.set(response, response.shouldKeepAlive);
  response.shouldKeepAlive = false;
}

/** Sends 100 Continue if the client waits for it. Call it when the head has been accepted and the body is read next. */
export function sendContinue(response: ServerResponse): void {
  const shouldKeepAlive = held.get(response);
  if (shouldKeepAlive === undefined) return;
  held.delete(response);
  response.shouldKeepAlive = shouldKeepAlive;
  response.writeContinue();
}

function createListener(limits: ListenerLimits, identity: SecureContextOptions | undefined): Server {
  const options = {
    // Limits of heads; the listener ends late bodies itself.
    requestTimeout: 0,
    headersTimeout: limits.request,
    connectionsCheckingInterval: limits.check,
    maxHeaderSize: MAX_HEAD_BYTES,
    keepAliveTimeout: limits.idle,
    // Checked by the handler, in the API's own error shape.
    requireHostHeader: false,
    // Node would use the first of two Host lines and silently drop the other.
    joinDuplicateHeaders: true,
  };
  const server = identity
    ? createSecureServer({ ...options, ...TLS_OPTIONS, ...identity, handshakeTimeout: limits.handshake })
    : createServer(options);
  server.setTimeout(limits.stall);
  // A client that has sent its request and shut down its side still waits for the response (RFC 9112, 9.6). Without this
  // property, which Node's documentation does not mention, it would not get one.
  return Object.assign(server, { httpAllowHalfOpen: true });
}
