import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../free-port.js';

/** A server that records whatever reaches it, and answers every request. */
export class RecordingOrigin implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The first bytes of each connection. */
  readonly connections: string[] = [];

  private constructor(answer: string) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      const index = this.connections.push('') - 1;
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        this.connections[index] = `${this.connections[index] ?? ''}${bytes.toString('latin1')}`;
        socket.write(answer);
      });
    });
  }

  static async listen(host: string, port: number, answer: string): Promise<RecordingOrigin> {
    const origin = new RecordingOrigin(answer);
    origin.#server.listen(port, host);
    await once(origin.#server, 'listening');
    return origin;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export const ALLOWED_HOST = '127.0.0.2';

/**
 * Two origins on one port of different addresses: only the address determines what is allowed, so that every misread spelling is detected. The
 * forbidden one has both loopback addresses.
 */
export async function allowedAndForbidden() {
  const port = await freePort();
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  const allowed = await RecordingOrigin.listen(ALLOWED_HOST, port, answer);
  const forbidden = [
    await RecordingOrigin.listen('127.0.0.1', port, answer),
    await RecordingOrigin.listen('::1', port, answer),
  ];
  return { port, allowed, forbidden };
}
