import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** One connection to a {@link RawOrigin}. */
export class OriginSide {
  readonly socket: Socket;
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>;
  /** Everything that came (latin1). */
  received = '';
  /** How many requests came on it. */
  requests = 0;

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        resolve();
      });
    });
    socket.on('error', () => undefined);
    // Half-open until then: a script may still write behind the client's end in the same turn.
    socket.on('end', () => socket.end());
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')));
  }

  write(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Does something once what was received holds the text; never if the connection closes before. */
  onceItHas(text: string, action: () => void): void {
    this.until(text).then(action, () => undefined);
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

/** Called for the head of each request (with its empty line); bodies are in `side.received`. */
export type OriginScript = (side: OriginSide, head: string) => void;

/** An origin server that answers with whatever bytes a script writes, and keeps what it was sent. */
export class RawOrigin implements AsyncDisposable {
  readonly #server: Server;
  readonly sides: OriginSide[] = [];
  /** The heads of all requests, in the order they came. */
  readonly heads: string[] = [];

  private constructor(script: OriginScript) {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      const side = new OriginSide(socket);
      this.sides.push(side);
      this.#server.emit('side', side);
      // What came behind the last head, apart from all that came: looking for a text in that would copy it at each chunk.
      let rest = '';
      socket.on('data', (chunk: Buffer) => {
        rest += chunk.toString('latin1');
        for (;;) {
          const end = rest.indexOf('\r\n\r\n');
          if (end === -1) return;
          // The bytes before it are the body of the previous request.
          const head = /[A-Z]+ \S+ HTTP\/1\.1\r\n[^]*$/.exec(rest.slice(0, end + 4))?.[0];
          rest = rest.slice(end + 4);
          if (head === undefined) continue;
          side.requests += 1;
          this.heads.push(head);
          script(side, head);
        }
      });
    });
  }

  static async start(script: OriginScript): Promise<RawOrigin> {
    const origin = new RawOrigin(script);
    origin.#server.listen(0, '127.0.0.1');
    await once(origin.#server, 'listening');
    return origin;
  }

  /** An origin that answers every request with the same bytes. */
  static async answering(answer: string): Promise<RawOrigin> {
    return RawOrigin.start((side) => side.write(answer));
  }

  /** On how many connections requests came. A stranger may have come by that looked for who had the port before. */
  get used(): number {
    return this.sides.filter(({ requests }) => requests > 0).length;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get authority(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `http://${this.authority}`;
  }

  /** The connection of that number, from 0; waits for it. */
  async side(index: number): Promise<OriginSide> {
    while (this.sides.length <= index) await once(this.#server, 'side');
    return this.sides[index]!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.sides) socket.destroy();
    if (this.#server.listening) {
      this.#server.close();
      await once(this.#server, 'close');
    }
  }
}
