import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ThrowawayAuthority } from '../throwaway-certificates.js';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A site over http and https (for localhost and 127.0.0.1) that also echoes WebSocket messages. */
export class WebOrigin implements AsyncDisposable {
  readonly requests: string[] = [];
  readonly rootCertificate: string;
  readonly #servers: readonly Server[];

  private constructor(rootCertificate: string, servers: readonly Server[]) {
    this.rootCertificate = rootCertificate;
    this.#servers = servers;
  }

  static async start(handler: Handler): Promise<WebOrigin> {
    const authority = await ThrowawayAuthority.create('throw-away root');
    const { certificate, privateKey } = await authority.issue('localhost');
    const servers = [createServer(), createTlsServer({ cert: certificate, key: privateKey })];
    const origin = new WebOrigin(authority.root.certificate, servers);
    for (const server of servers) {
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        origin.requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
        handler(request, response);
      });
      server.on('upgrade', echoWebSocket);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    return origin;
  }

  get http(): string {
    return `http://127.0.0.1:${this.#port(0)}`;
  }

  get https(): string {
    return `https://localhost:${this.#port(1)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, 'close');
    }
  }

  #port(index: number): number {
    return (this.#servers[index]!.address() as AddressInfo).port;
  }
}

/** RFC 6455, section 4.2.2: the handshake; then short text frames are sent back unmasked. */
function echoWebSocket(request: IncomingMessage, socket: Duplex): void {
  const key = `${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  let unread = Buffer.alloc(0);
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk]);
      for (let frame = readFrame(unread); frame !== undefined; frame = readFrame(unread)) {
        unread = unread.subarray(frame.length);
        if (frame.opcode === 8) {
          socket.end(Buffer.from([0x88, 0]));
          return;
        }
        socket.write(Buffer.concat([Buffer.from([0x81, frame.payload.length]), frame.payload]));
      }
    });
}

/** A masked frame of fewer than 126 bytes (RFC 6455, section 5.2). */
function readFrame(
  bytes: Buffer,
): { readonly opcode: number; readonly payload: Buffer; readonly length: number } | undefined {
  const size = (bytes[1] ?? 0) & 0x7f;
  const length = 6 + size;
  if (bytes.length < 6 || bytes.length < length) return undefined;
  const payload = Buffer.from(bytes.subarray(6, length).map((byte, index) => byte ^ bytes[2 + (index % 4)]!));
  return { opcode: bytes[0]! & 0x0f, payload, length };
}
