import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { ProxyStats } from '#metrics';
import type { ProxyClientConfig } from '../../config/proxy-client-config.js';
import { loadConfig } from '../../config/load-config.js';
import { answerFailedRequest } from '../../failure/answer-failure.js';
import { FailureReporter, type ProxyLog } from '../../failure/failure-reporter.js';
import { adoptSocket } from '../../relay/adopt-socket.js';
import { BufferPool } from '../../relay/buffer-pool.js';
import { PlainSource } from '../../relay/plain-source.js';
import { PooledSource } from '../../relay/pooled-source.js';
import { ClientConnections } from '../client-connections.js';
import { ProxyListener } from '../proxy-listener.js';

export const silent: ProxyLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

interface Changes {
  readonly timeouts?: Partial<ProxyClientConfig['timeouts']>;
  readonly limits?: Partial<ProxyClientConfig['limits']>;
  /** Sockets cannot be handed over. */
  readonly plain?: boolean;
}

/** A listener whose ways out only tell what came to them. */
export async function setUp({ timeouts = {}, limits = {}, plain = false }: Changes = {}) {
  const { config: defaults } = loadConfig({ options: {}, environment: {}, directory: '/nowhere' });
  const config = {
    ...defaults,
    timeouts: { ...defaults.timeouts, ...timeouts },
    limits: { ...defaults.limits, ...limits },
  };
  const stats = new ProxyStats();
  const connections = new ClientConnections(stats, config.limits.connections);
  const pool = new BufferPool();
  const held = Promise.withResolvers<() => void>();
  /** Targets of the CONNECTs that node:http has not seen. */
  const past: string[] = [];
  const tunnel = (socket: Socket, target: string) => {
    const read = (chunk: Buffer) => socket.end(`tunnel ${target} ${chunk.toString()}`).writable;
    connections.get(socket)!.source.start({ read });
    if (target === 'example.com:443') read(Buffer.alloc(0));
  };
  const listener = new ProxyListener({
    config,
    listener: { mode: 'http', host: '127.0.0.1', port: 0, allowedHosts: [] },
    connections,
    reporter: new FailureReporter(stats, silent),
    pages: {
      handleMonitoring: (request, response) => response.end(`page ${request.url ?? ''} ${request.headers.host ?? ''}`),
      handleNotFound: (_request, response) => response.writeHead(404).end('nothing'),
    },
    adopt: (socket) => (plain ? new PlainSource(socket) : adoptSocket(pool, socket)),
    ...(!plain && { accept: (handle) => PooledSource.accept(pool, handle) }),
    forward: {
      handleRequest: (request, response) => {
        connections.proxied(request.socket);
        const answer = () => void response.end(`forward ${request.method ?? ''} ${request.url ?? ''}`);
        if (request.url?.endsWith('/hold') === true) held.resolve(answer);
        else answer();
      },
      handleOrdinary: ({ method, url }, client) => {
        connections.proxied(client.socket);
        const answer = () => {
          const body = `forward ${method} ${url}`;
          const close = client.mayGoOn ? '' : 'Connection: close\r\n';
          client.socket.write(`HTTP/1.1 200 OK\r\n${close}Content-Length: ${body.length}\r\n\r\n${body}`);
          if (client.mayGoOn) client.answered();
          else client.socket.destroySoon();
        };
        if (url.endsWith('/hold')) held.resolve(answer);
        else answer();
        return true;
      },
      handleUpgrade: (request, socket) => socket.end(`upgrade ${request.url ?? ''}`),
      handleMalformedBody: (response, failure) => {
        answerFailedRequest(response, failure);
      },
    },
    connect: {
      handleConnect: (request, socket) => {
        tunnel(socket, request.url ?? '');
      },
      handleOrdinary: ({ url }, socket) => {
        past.push(url);
        tunnel(socket, url);
        return true;
      },
    },
  });
  const { port } = await listener.listen();
  return { listener, port, stats, connections, past, held: held.promise };
}

export type Fixture = Awaited<ReturnType<typeof setUp>>;

/** Sends text and gives what comes back until the connection closes. */
export async function exchange({ port }: Fixture, text: string): Promise<string> {
  const socket = createConnection(port, '127.0.0.1');
  socket.write(text, 'latin1');
  return received(socket);
}

export async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  await once(socket, 'close');
  return text;
}

/** A connection whose answers are read one by one. */
export function talk({ port }: Fixture) {
  const socket = createConnection(port, '127.0.0.1').setEncoding('latin1');
  return {
    socket,
    ask: async (text: string): Promise<string> => {
      socket.write(text);
      const [answer] = (await once(socket, 'data')) as [string];
      return answer;
    },
  };
}
