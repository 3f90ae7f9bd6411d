import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { ConnectionBook } from './connection-book.js';
import { ApiError } from '../http/errors.js';
import { refusalOf, refuseConnection } from './connection-errors.js';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Limits of both listeners, in milliseconds. */
export interface ListenerLimits {
  /** A request, head and body, has to arrive within this. */
  readonly request: number;
  /** An idle connection is kept for this long. */
  readonly idle: number;
  /** A connection on which no byte moves is ended after this; longer than a commit may take. */
  readonly stall: number;
  /** A TLS handshake has to be done within this. */
  readonly handshake: number;
  /** How often slow connections are looked for. */
  readonly check: number;
  /** What is in flight may finish within this after a stop was asked for. */
  readonly drain: number;
}

export const LISTENER_LIMITS: ListenerLimits = Object.freeze({
  request: 30_000,
  idle: 65_000,
  stall: 150_000,
  handshake: 10_000,
  check: 1_000,
  drain: 10_000,
});

/** Longest request line and headers: three filters of 4,096 bytes, percent-encoded, and ordinary headers. */
const MAX_HEAD_BYTES = 48 * 1024;

export interface ApiServerOptions {
  readonly limits: ListenerLimits;
}

/**
 * TLS 1.2 and 1.3 with forward secrecy and authenticated encryption only, as Mozilla's "intermediate" has it: Node's own
 * list also takes CBC suites, which have a history of padding attacks.
 */
const TLS: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
};

/**
 * One listening server, http or, with an identity, https. Both have the same limits, error answers and drain: Fastify
 * sets these up only for the server that it makes itself.
 */
export class ApiServer {
  readonly server: Server;
  readonly #options: ApiServerOptions;
  readonly #handler: RequestHandler;
  readonly #book = new ConnectionBook();

  constructor(
    options: ApiServerOptions & { readonly handler: RequestHandler; readonly identity?: SecureContextOptions },
  ) {
    this.#options = options;
    this.#handler = options.handler;
    this.server = makeServer(options, options.identity);
    this.#book.watch(this.server);
    this.#answer();
  }

  /** @throws the system's error (`EADDRINUSE`, `EACCES`, `ENOTFOUND` …) when it cannot listen there */
  async listen(host: string, port: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.server.once('error', reject);
    this.server.listen({ host, port }, () => {
      this.server.off('error', reject);
      resolve((this.server.address() as AddressInfo).port);
    });
    return promise;
  }

  /** Takes another certificate for the handshakes to come; for https only. */
  replaceIdentity(identity: SecureContextOptions): void {
    (this.server as SecureServer).setSecureContext({ ...TLS, ...identity });
  }

  /** Stops accepting, lets what is in flight finish within the limit, then ends every connection. */
  async drain(): Promise<void> {
    if (!this.server.listening) return;
    const closed = Promise.withResolvers<undefined>();
    this.server.close(() => {
      closed.resolve(undefined);
    });
    await this.#book.settle(this.#options.limits.drain);
    this.#book.endAll();
    await closed.promise;
  }

  #answer(): void {
    const { server } = this;
    const answer: RequestHandler = (request, response) => {
      this.#book.add(response, () => {
        this.#handler(request, response);
      });
    };
    server.on('request', answer);
    // Refused by the handler, in the API's own error shape.
    server.on('checkExpectation', answer);
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      holdContinue(response);
      answer(request, response);
    });
    server.on('connect', (_request: IncomingMessage, socket: Socket) => {
      refuseConnection(
        socket,
        new ApiError('API.METHOD_NOT_ALLOWED', 'CONNECT is not supported: this is not a proxy.', { headers: {} }),
      );
    });
    server.on('clientError', (error: Error, socket: Socket) => {
      this.#book.refuse(socket, refusalOf(error));
    });
  }
}

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

function makeServer({ limits }: ApiServerOptions, identity: SecureContextOptions | undefined): Server {
  const options = {
    requestTimeout: limits.request,
    headersTimeout: limits.request,
    connectionsCheckingInterval: limits.check,
    maxHeaderSize: MAX_HEAD_BYTES,
    keepAliveTimeout: limits.idle,
    // Checked by the handler, in the API's own error shape.
    requireHostHeader: false,
    // Node would keep the first of two Host lines and silently drop the other.
    joinDuplicateHeaders: true,
  };
  const server = identity
    ? createSecureServer({ ...options, ...TLS, ...identity, handshakeTimeout: limits.handshake })
    : createServer(options);
  server.setTimeout(limits.stall);
  // A client that has sent its request and shut down its side still waits for the answer (RFC 9112, 9.6); without this
  // property, which Node's documentation does not mention, it would not get one.
  return Object.assign(server, { httpAllowHalfOpen: true });
}
