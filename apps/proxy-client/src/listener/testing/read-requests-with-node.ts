import { ServerResponse, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { createHttpServer } from '../http-server.js';

/** What node:http makes of a request. */
export interface NodeRequest {
  /** The event it comes with: `request`, or one that asks for more. */
  readonly event: string;
  readonly method: string;
  readonly url: string;
  readonly version: string;
  readonly rawHeaders: readonly string[];
  /** Whether it has ended with the bytes that were there. */
  readonly complete: boolean;
  /** Whether its connection is to be kept. */
  readonly keepAlive: boolean;
  /** Bytes that are no longer HTTP: those behind a CONNECT or an upgrade (latin1). */
  readonly head: string;
}

const TIMEOUTS = { read: 30_000, write: 0, idle: 0, connect: 0, handshake: 0, response: 0, tunnelIdle: 0, drain: 0 };

class Connection extends Duplex {
  override _read(): void {
    // The bytes are given to the listeners.
  }

  override _write(_chunk: unknown, _encoding: string, callback: () => void): void {
    callback();
  }
}

/**
 * Gives bytes, as one read of a connection, to a server that is made as the listener's is.
 *
 * @returns the requests that it takes from them; undefined if it refuses something
 */
export function readRequestsWithNode(bytes: Buffer, headerBytes: number): NodeRequest[] | undefined {
  const server = createHttpServer(
    {
      logLevel: 'error',
      listeners: [],
      upstreams: [],
      timeouts: TIMEOUTS,
      limits: { headerBytes, connections: 1 },
      pool: { idle: 0, perTarget: 0, total: 0 },
      via: false,
    },
    () => true,
  );
  const found: (readonly [string, IncomingMessage, (ServerResponse | Buffer)?])[] = [];
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => found.push([event, request, response]));
  }
  for (const event of ['connect', 'upgrade']) {
    server.on(event, (request: IncomingMessage, _socket: unknown, head: Buffer) => found.push([event, request, head]));
  }
  const errors: Error[] = [];
  server.on('clientError', (error) => errors.push(error));
  const connection = new Connection();
  server.emit('connection', connection);
  for (const parse of connection.listeners('data')) (parse as (bytes: Buffer) => void)(bytes);
  const requests = found.map(([event, request, rest]) => ({
    event,
    method: request.method ?? '',
    url: request.url ?? '',
    version: request.httpVersion,
    rawHeaders: [...request.rawHeaders],
    complete: request.complete,
    keepAlive: rest instanceof ServerResponse && rest.shouldKeepAlive,
    head: rest instanceof Buffer ? rest.toString('latin1') : '',
  }));
  connection.destroy();
  server.close();
  return errors.length > 0 ? undefined : requests;
}
