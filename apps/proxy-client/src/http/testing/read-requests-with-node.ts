import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import type { ReadRequest } from './read-requests.js';

class Connection extends Duplex {
  override _read(): void {
    // The bytes are passed to the listeners.
  }

  override _write(_chunk: unknown, _encoding: string, callback: () => void): void {
    callback();
  }
}

interface Found {
  readonly request: IncomingMessage;
  readonly keepAlive: boolean;
  readonly leaves: boolean;
  body: string;
}

/** What node:http makes of the bytes of a connection. */
export interface ReadByNode {
  /** The requests that have ended, in their order. */
  readonly requests: readonly ReadRequest[];
  readonly refused: boolean;
  /** What is no longer HTTP: the bytes after a CONNECT or an upgrade (latin1). */
  readonly rest: string;
}

/**
 * Passes pieces, each as one read of a connection, to a server with the strictest parser of Node (llhttp). It discards bytes
 * of the same read after an upgrade that it does not accept, so such a request must be a separate chunk.
 */
export async function readRequestsWithNode(pieces: readonly string[], headerBytes: number): Promise<ReadByNode> {
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: headerBytes + 1,
    requireHostHeader: false,
    shouldUpgradeCallback: ({ method, headers }) => method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket',
  });
  server.maxHeadersCount = 0;
  const found: Found[] = [];
  let rest = '';
  let refused = false;
  const add = (request: IncomingMessage, keepAlive: boolean, leaves: boolean): void => {
    const each: Found = { request, keepAlive, leaves, body: '' };
    request.on('data', (chunk: Buffer) => (each.body += chunk.toString('latin1')));
    request.on('error', () => undefined);
    found.push(each);
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      add(request, response.shouldKeepAlive, false);
    });
  }
  for (const event of ['connect', 'upgrade']) {
    server.on(event, (request: IncomingMessage, _socket: unknown, head: Buffer) => {
      add(request, false, true);
      rest = head.toString('latin1');
    });
  }
  server.on('clientError', () => (refused = true));
  const connection = new Connection();
  server.emit('connection', connection);
  for (const piece of pieces) {
    for (const parse of connection.listeners('data')) (parse as (bytes: Buffer) => void)(Buffer.from(piece, 'latin1'));
  }
  // Bodies are emitted in separate turns of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  const requests = found
    .filter(({ request, leaves }) => request.complete || leaves)
    .map(({ request, keepAlive, leaves, body }) => ({
      method: request.method ?? '',
      target: request.url ?? '',
      minor: request.httpVersionMinor,
      fields: [...request.rawHeaders],
      body,
      trailers: [...request.rawTrailers],
      keepAlive,
      leaves,
    }));
  connection.destroy();
  server.close();
  return { requests, refused, rest };
}
