import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A connection on which a test writes any bytes it likes, and sees every byte that comes back. */
export class RawConnection {
  readonly socket: Socket;
  /** Resolves with everything received when the other side has closed or reset the connection. */
  readonly closed: Promise<string>;
  received = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => (this.received += text));
    socket.on('error', () => undefined);
    // Not events.once, which rejects on 'error': a reset is an end like any other here.
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        resolve(this.received);
      });
    });
  }

  static async open(url: string): Promise<RawConnection> {
    const { protocol, hostname, port } = new URL(url);
    const to = { host: hostname, port: Number(port), allowHalfOpen: true };
    const socket = protocol === 'https:' ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
    const connection = new RawConnection(socket);
    socket.on('end', () => socket.end());
    await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect');
    return connection;
  }

  write(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Ends this side only; the answer can still come. */
  half(): this {
    this.socket.end();
    return this;
  }

  /** Resolves when what was received holds the text; rejects when the connection closes before. */
  async until(text: string): Promise<string> {
    while (!this.received.includes(text)) {
      if (this.socket.destroyed) throw new Error(`closed without ${text}:\n${this.received}`);
      await Promise.race([new Promise((resolve) => this.socket.once('data', resolve)), this.closed]);
    }
    return this.received;
  }
}

/** Writes the text on a new connection and returns everything that is received until the other side closes. */
export async function exchange(url: string, text: string): Promise<string> {
  const connection = await RawConnection.open(url);
  return connection.write(text).closed;
}

/** Status and JSON body of the last answer in a text. */
export function lastAnswer(text: string): { readonly status: number; readonly head: string; readonly body: unknown } {
  const start = text.lastIndexOf('HTTP/1.1 ');
  const [head = '', ...rest] = text.slice(start).split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  return { status: Number(head.slice(9, 12)), head, body: body === '' ? undefined : (JSON.parse(body) as unknown) };
}
