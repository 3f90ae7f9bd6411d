import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type PeerCertificate } from 'node:tls';
import type { ThrowawayAuthority } from '../../../../../test/support/throwaway-certificates.js';

type IssuedIdentity = ThrowawayAuthority['root'];

/** A server on a free port of 127.0.0.1 whose connections close with it. */
abstract class Peer implements AsyncDisposable {
  protected abstract readonly server: Server;
  readonly #sockets = new Set<Socket>();

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The number of connections that clients have not closed. */
  get open(): number {
    return [...this.#sockets].filter(({ readableEnded }) => !readableEnded).length;
  }

  protected track(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }

  protected async listen(): Promise<this> {
    this.server.on('connection', (socket: Socket) => this.track(socket));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** An HTTP proxy made with node:http: CONNECT, and plain requests in absolute-form. */
export class HttpProxy extends Peer {
  /** The requests, CONNECT included, as `METHOD target`. */
  readonly requests: string[] = [];
  /** The connections of clients. */
  connections = 0;
  /** The required value of Proxy-Authorization. */
  authorization: string | undefined;
  /** The challenges of a 407, one line each. */
  offers: readonly string[] = ['Basic realm="x"'];
  protected readonly server = createHttpServer((incoming, response) => {
    this.#forward(incoming, response);
  });

  static async start(): Promise<HttpProxy> {
    const proxy = new HttpProxy();
    proxy.server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      proxy.#connect(incoming, socket, head);
    });
    proxy.server.on('connection', () => (proxy.connections += 1));
    return proxy.listen();
  }

  #isAdmitted({ method = '', url = '', headers }: IncomingMessage): boolean {
    this.requests.push(`${method} ${url}`);
    return this.authorization === undefined || headers['proxy-authorization'] === this.authorization;
  }

  #connect(incoming: IncomingMessage, client: Socket, head: Buffer): void {
    if (!this.#isAdmitted(incoming)) {
      const challenges = this.offers.map((offer) => `Proxy-Authenticate: ${offer}\r\n`).join('');
      client.end(`HTTP/1.1 407 Proxy Authentication Required\r\n${challenges}\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${incoming.url ?? ''}`);
    const target = this.track(connect({ host: hostname, port: Number(port), allowHalfOpen: true }));
    let isOpen = false;
    target.once('connect', () => {
      isOpen = true;
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      client.pipe(target).pipe(client);
    });
    target.once('close', () => {
      if (!isOpen) {
        client.end('HTTP/1.1 502 Bad Gateway\r\nProxy-Status: peer; error=connection_refused\r\n\r\n');
      } else if (target.errored === null) client.destroySoon();
      else client.resetAndDestroy();
    });
    client.once('close', () => target.destroy());
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    if (!this.#isAdmitted(incoming)) {
      response.writeHead(407, { 'Proxy-Authenticate': [...this.offers] }).end('the text of the peer');
      return;
    }
    const { method, url = '', headers } = incoming;
    delete headers['proxy-authorization'];
    const forwarded = request(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.writeHead(502).end());
    incoming.pipe(forwarded);
  }
}

/** TLS in front of a server on this machine. */
export class TlsFront extends Peer {
  protected readonly server: Server;
  /** The subjects of the certificates of clients. */
  readonly clients: string[] = [];

  private constructor(port: () => number, { certificate, privateKey }: IssuedIdentity, clientCa: string | undefined) {
    super();
    const options = {
      ...{ cert: certificate, key: privateKey, allowHalfOpen: true },
      ...(clientCa !== undefined && { ca: clientCa, requestCert: true }),
    };
    this.server = createTlsServer(options, (socket) => {
      this.clients.push(String((socket.getPeerCertificate() as Partial<PeerCertificate>).subject?.CN ?? ''));
      const inner = this.track(connect({ port: port(), host: '127.0.0.1', allowHalfOpen: true }));
      socket.on('error', () => {
        inner.destroy();
      });
      inner.once('close', () => {
        socket.destroySoon();
      });
      socket.once('close', () => {
        inner.destroy();
      });
      socket.pipe(inner).pipe(socket);
    });
    this.server.on('tlsClientError', () => undefined);
  }

  static async start(port: () => number, identity: IssuedIdentity, clientCa?: string): Promise<TlsFront> {
    return new TlsFront(port, identity, clientCa).listen();
  }
}

/** What a server does with the first bytes of each connection. */
export type Misbehaviour = 'hang' | 'reset' | 'half-close' | 'truncate' | 'garbage' | 'password' | 'refuse';

/** A server that fails in one way, in either protocol. */
export class FaultyServer extends Peer {
  protected readonly server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('data', (chunk: Buffer) => {
      this.#answer(socket, chunk[0] === 5);
    });
  });
  readonly #misbehaviour: Misbehaviour;

  constructor(misbehaviour: Misbehaviour) {
    super();
    this.#misbehaviour = misbehaviour;
  }

  static async start(misbehaviour: Misbehaviour): Promise<FaultyServer> {
    return new FaultyServer(misbehaviour).listen();
  }

  #answer(socket: Socket, isSocks: boolean): void {
    switch (this.#misbehaviour) {
      case 'hang':
        break;
      case 'reset':
        socket.resetAndDestroy();
        break;
      case 'half-close':
        socket.end();
        break;
      case 'truncate':
        socket.end(isSocks ? Uint8Array.of(5) : 'HTTP/1.1 200');
        break;
      case 'garbage':
        socket.write('220 this is a mail server\r\n');
        break;
      case 'password':
        if (!isSocks) socket.end('HTTP/1.1 407 No\r\n\r\n');
        else {
          socket.write(Uint8Array.of(5, 2));
          socket.once('data', () => socket.end(Uint8Array.of(1, 1)));
        }
        break;
      case 'refuse':
        if (!isSocks) socket.end('HTTP/1.1 502 No\r\nProxy-Status: x; error=dns_error\r\n\r\n');
        else {
          socket.write(Uint8Array.of(5, 0));
          socket.once('data', () => socket.end(Uint8Array.of(5, 4, 0, 1, 0, 0, 0, 0, 0, 0)));
        }
    }
  }
}
