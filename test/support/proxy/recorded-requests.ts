import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** What a client saw of the proxy when it had sent some bytes, and what the origin behind it got. */
export interface Observation {
  /** Each request as the origin got it, {@link LAST} aside: its head as it came, body and trailers decoded. */
  readonly asked: readonly string[];
  /** Each answer: its status, and whether the connection stays open. */
  readonly answers: readonly string[];
  /** Whether the proxy closed the connection, has answered {@link LAST}, or waits for more. */
  readonly end: 'closed' | 'open' | 'waits';
}

/** Follows the bytes of each case; if it is answered, the connection continued in order. */
const LAST = 'GET http://ORIGIN/last HTTP/1.1\r\nHost: ORIGIN\r\n\r\n';
const LAST_LINE = 'GET /last ';
/** Longer waits distinguish nothing: what a case waits for arrives within a few milliseconds. */
const QUIET_MS = 1500;
const LIMIT_MS = 10_000;

/** An origin that keeps the requests that it gets, byte for byte. */
export class RecordingOrigin implements AsyncDisposable {
  asked: string[] = [];
  readonly #server: Server;
  readonly #raw = new WeakMap<Socket, string>();

  private constructor() {
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      this.#serve(request, response);
    };
    this.#server = createServer({ maxHeaderSize: 262_144, requireHostHeader: false }, serve);
    this.#server.maxHeadersCount = 0;
    this.#server.on('checkExpectation', serve);
    this.#server.on('connection', (socket: Socket) => {
      socket.prependListener('data', (chunk: Buffer) => {
        this.#raw.set(socket, (this.#raw.get(socket) ?? '') + chunk.toString('latin1'));
      });
    });
  }

  static async start(): Promise<RecordingOrigin> {
    const origin = new RecordingOrigin();
    origin.#server.listen(0, '127.0.0.1');
    await once(origin.#server, 'listening');
    return origin;
  }

  get authority(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.setEncoding('latin1').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const raw = this.#raw.get(request.socket) ?? '';
      this.#raw.set(request.socket, '');
      const trailers = request.rawTrailers.length === 0 ? '' : `\n${JSON.stringify(request.rawTrailers)}`;
      this.asked.push(raw.slice(0, raw.indexOf('\r\n\r\n') + 4) + body + trailers);
      const answer = raw.startsWith(LAST_LINE) ? 'last' : 'ok';
      response.sendDate = false;
      response.writeHead(200, { 'Content-Length': answer.length }).end(answer);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

/**
 * Sends the pieces of a case, with {@link LAST} behind them, and returns the result. `ORIGIN` and `LISTENER` are placeholders
 * for the authorities of the two.
 *
 * @param expected - what is awaited; without it, the end is awaited by silence
 */
export async function observe(
  proxy: string,
  origin: RecordingOrigin,
  pieces: readonly string[],
  expected?: Observation,
): Promise<Observation> {
  origin.asked = [];
  const { hostname, port } = new URL(proxy);
  const named = (text: string): string =>
    text.replaceAll('ORIGIN', origin.authority).replaceAll('LISTENER', `${hostname}:${port}`);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
  let text = '';
  let closed = false;
  let seen = performance.now();
  socket.setEncoding('latin1').on('data', (more: string) => {
    text += more;
    seen = performance.now();
  });
  socket
    .on('error', () => (closed = true))
    .on('end', () => (closed = true))
    .on('close', () => (closed = true));
  await once(socket, 'connect');
  const texts = [...pieces.slice(0, -1), (pieces.at(-1) ?? '') + LAST];
  for (const piece of texts) {
    if (!socket.destroyed) socket.write(named(piece), 'latin1');
    await new Promise((resolve) => setImmediate(resolve));
  }
  const look = (): Observation => {
    const all = origin.asked.map((each) => each.replaceAll(origin.authority, 'ORIGIN'));
    const asked = all.filter((each) => !each.startsWith(LAST_LINE));
    const answers = answersIn(text);
    return { asked, answers, end: closed ? 'closed' : text.endsWith('\r\n\r\nlast') ? 'open' : 'waits' };
  };
  const limit = performance.now() + LIMIT_MS;
  for (;;) {
    const seenNow = look();
    const silent = performance.now() - seen > QUIET_MS;
    const over = expected === undefined ? seenNow.end !== 'waits' || silent : isLike(seenNow, expected);
    if (over || performance.now() > limit) {
      socket.destroy();
      return seenNow;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function isLike(one: Observation, other: Observation): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Status, Connection and Allow of each answer; the dates, lengths and words of the others differ from run to run. */
function answersIn(text: string): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/g)].map(([head, status = '']) => {
    const connection = /^connection: *(.*)\r$/im.exec(head)?.[1] ?? '';
    const allow = /^allow: *(.*)\r$/im.exec(head)?.[1];
    return [status, connection, ...(allow === undefined ? [] : [allow])].join(' ').trim();
  });
}
