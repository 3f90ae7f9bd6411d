import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import { ListenError } from './listen-error.js';

/** How often node:http looks for requests that are late, at most. */
const CHECK_MS = 1000;
/** Connections that the kernel holds until they are accepted; it has a limit of its own (net.core.somaxconn). */
const BACKLOG = 4096;

/**
 * Makes the node:http server of a listener, with every limit set:
 * a strict parser; a header of `limits.headerBytes` bytes passes and one byte more is a 431 (names and values as the
 * parser counts them, any number of fields); a header has `timeouts.read` to arrive, a body as long as it moves;
 * how long an idle connection is kept is seen to by `ClientConnections.destroyIdle`.
 */
export function createHttpServer(
  { limits, timeouts }: ProxyClientConfig,
  shouldUpgrade: (request: IncomingMessage) => boolean,
): Server {
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: limits.headerBytes + 1,
    headersTimeout: timeouts.read,
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(CHECK_MS, Math.max(50, timeouts.read / 4)),
    keepAliveTimeout: 0,
    noDelay: true,
    requireHostHeader: false,
    // A request without a body then costs no stream life cycle (docs/adr/0052).
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: shouldUpgrade,
  });
  server.timeout = 0;
  server.maxHeadersCount = 0;
  return server;
}

/**
 * Has the connections that `server` accepts given to `take` instead of to its parser.
 *
 * @returns gives a connection to the parser; the bytes that come on it have to be given to the function that it returns
 */
export function interceptConnections(
  server: Server,
  take: (socket: Socket) => void,
): (socket: Socket) => (bytes: Buffer) => void {
  const serve = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection').on('connection', take);
  return (socket) => {
    const before = new Set(socket.listeners('data'));
    for (const listener of serve) listener.call(server, socket);
    const parse = (socket.listeners('data') as ((bytes: Buffer) => void)[]).filter((listener) => !before.has(listener));
    // Node's parser reads the socket past all listeners until somebody else asks for its data, which is us.
    socket.on('data', ignore).off('data', ignore);
    for (const listener of parse) socket.off('data', listener);
    return (bytes) => {
      for (const listener of parse) listener(bytes);
    };
  };
}

function ignore(): void {
  // Is never called.
}

/**
 * Listens.
 *
 * @param settings - the settings that say where, for the message
 * @throws {@link ListenError}
 */
export async function listen(
  server: Server,
  place: { readonly host: string; readonly port: number },
  settings: string,
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      reject(new ListenError(place, settings, error));
    };
    server.once('error', fail);
    server.listen({ host: place.host, port: place.port, backlog: BACKLOG }, () => {
      server.off('error', fail);
      resolve(server.address() as AddressInfo);
    });
  });
}
