import { connect, type Socket } from 'node:net';
import { until } from '../until.js';

/** The bytes that a tunnel has in flight. */
const PIECE = 2048;

/** A tunnel whose far end sends back what comes: it keeps bytes moving, and looks at each that comes back. */
class EchoingTunnel {
  readonly #socket: Socket;
  readonly #seed: number;
  #sent = 0;
  #received = 0;
  #isMoving = true;
  /** What went wrong, if something did. */
  fault: string | undefined;

  constructor(socket: Socket, seed: number) {
    this.#socket = socket;
    this.#seed = seed;
    socket.on('data', (chunk: Buffer) => {
      this.#look(chunk);
    });
    socket.on('error', (error) => (this.fault ??= error.message));
    socket.on('close', () => {
      if (this.#received < this.#sent) this.fault ??= `cut: ${this.#sent - this.#received} bytes lost`;
    });
    this.#send();
  }

  get received(): number {
    return this.#received;
  }

  /** Waits for the bytes in flight, and closes the tunnel. */
  async finish(): Promise<void> {
    this.#isMoving = false;
    await until(() => this.#received >= this.#sent || this.fault !== undefined);
    this.#socket.end();
    await until(() => this.#socket.destroyed);
  }

  #send(): void {
    const piece = Buffer.alloc(PIECE);
    for (let index = 0; index < PIECE; index += 1) piece[index] = this.#byteAt(this.#sent + index);
    this.#sent += PIECE;
    this.#socket.write(piece);
  }

  #look(chunk: Buffer): void {
    for (const byte of chunk) {
      if (byte !== this.#byteAt(this.#received)) this.fault ??= `another byte at ${this.#received}`;
      this.#received += 1;
    }
    if (this.#isMoving && this.#received === this.#sent) this.#send();
  }

  #byteAt(place: number): number {
    return (place * 31 + (place >> 8) * 17 + this.#seed) & 0xff;
  }
}

/** Many of them through one proxy. */
export class EchoingTunnels {
  readonly #tunnels: readonly EchoingTunnel[];

  private constructor(tunnels: readonly EchoingTunnel[]) {
    this.#tunnels = tunnels;
  }

  /** Opens a number of tunnels by CONNECT; each then transfers bytes continuously. */
  static async open(proxy: string, count: number): Promise<EchoingTunnels> {
    const opening = Array.from({ length: count }, async (_, index) => {
      return new EchoingTunnel(await openTunnel(proxy, `echo${index}.example:7`), index);
    });
    return new EchoingTunnels(await Promise.all(opening));
  }

  /** What went wrong with which of them. */
  get faults(): readonly string[] {
    return this.#tunnels.flatMap(({ fault }, index) => (fault === undefined ? [] : [`tunnel ${index}: ${fault}`]));
  }

  /** Resolves when each has moved bytes since now. */
  async moved(): Promise<void> {
    const before = this.#tunnels.map(({ received }) => received);
    await until(() =>
      this.#tunnels.every(({ received, fault }, index) => fault !== undefined || received > before[index]!),
    );
  }

  async finish(): Promise<void> {
    await Promise.all(this.#tunnels.map((tunnel) => tunnel.finish()));
  }
}

/** A tunnel by CONNECT, on which nothing has been read yet. */
async function openTunnel(proxy: string, authority: string): Promise<Socket> {
  const { hostname, port } = new URL(proxy);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    let head = '';
    const refuse = (): void => {
      reject(new Error(`no tunnel: ${head}`));
    };
    socket.once('close', refuse).on('error', refuse);
    socket.on('data', function take(chunk: Buffer) {
      head += chunk.toString('latin1');
      if (!head.endsWith('\r\n\r\n')) return;
      socket.off('data', take).off('close', refuse).off('error', refuse);
      if (head.startsWith('HTTP/1.1 200 ')) resolve(socket);
      else refuse();
    });
  });
}
