import { Agent, createServer, request, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const KINDS = ['GET', 'POST', 'CONNECT'] as const;
const TICK_MS = 20;
/** Fewer than come in a second: a machine that is too busy for them gets no more than it can take. */
const MAX_UNDER_WAY = 40;
const PAST_THE_LINE: readonly string[] = ['cut', '502 http_response_incomplete', '503 destination_unavailable'];

/** How a request ended for the client. */
export interface RequestEnd {
  readonly kind: (typeof KINDS)[number];
  readonly id: string;
  /** The error of Proxy-Status; `cut` for an answer that broke off; undefined where it succeeded. */
  readonly failure: string | undefined;
}

/** An origin that notes which requests have reached it, and how often. */
export class CountingOrigin implements AsyncDisposable {
  readonly seen = new Map<string, number>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((incoming, answer) => {
      const id = incoming.url ?? '';
      this.seen.set(id, (this.seen.get(id) ?? 0) + 1);
      incoming.resume().on('end', () => answer.end(id));
    });
  }

  static async start(): Promise<CountingOrigin> {
    const origin = new CountingOrigin();
    origin.#server.listen(0, '127.0.0.1');
    await once(origin.#server, 'listening');
    return origin;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Requests in a steady stream through a proxy: GET, POST and CONNECT with a GET inside, each with its own id. */
export class RequestLoad {
  readonly ends: RequestEnd[] = [];
  readonly #proxy: URL;
  readonly #host: string;
  readonly #running = new Set<Promise<void>>();
  readonly #agent = new Agent({ keepAlive: true });
  #stopped = false;
  #count = 0;
  readonly #stream: Promise<void>;

  constructor(proxy: string, host: string, perSecond: number) {
    this.#proxy = new URL(proxy);
    this.#host = host;
    this.#stream = this.#run(perSecond);
  }

  /** Begins no more, and resolves when all that were begun have ended. */
  async end(): Promise<void> {
    this.#stopped = true;
    await this.#stream;
    await Promise.all(this.#running);
    this.#agent.destroy();
  }

  /**
   * Which requests were lost although nothing of them could have reached a target, and which have reached it twice. Once the
   * request is with an upstream that had let the proxy in, its end may be the answer: an answer that broke off or never came,
   * or a close instead of a reply.
   *
   * @param seen - how often each request has reached the origin
   */
  verdict(seen: ReadonlyMap<string, number>): {
    readonly lost: readonly string[];
    readonly doubled: readonly string[];
  } {
    const lost = this.ends.filter(({ failure }) => failure !== undefined && !PAST_THE_LINE.includes(failure));
    const doubled = [...seen].filter(([id, times]) => times > 1 && !id.startsWith('/GET/'));
    return { lost: lost.map(({ id, failure }) => `${id}: ${failure ?? ''}`), doubled: doubled.map(([id]) => id) };
  }

  /** Resolves when all that have begun by now have ended: what happens next is seen only by those that began later. */
  async begun(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Resolves when that number of further requests have finished. */
  async more(count: number): Promise<void> {
    const goal = this.ends.length + count;
    while (this.ends.length < goal) await delay(TICK_MS);
  }

  async #run(perSecond: number): Promise<void> {
    const started = performance.now();
    while (!this.#stopped) {
      const due = ((performance.now() - started) / 1000) * perSecond;
      while (this.#count < due && this.#running.size < MAX_UNDER_WAY) this.#begin();
      await delay(TICK_MS);
    }
  }

  #begin(): void {
    const kind = KINDS[this.#count % KINDS.length]!;
    const id = `/${kind}/${this.#count}`;
    this.#count += 1;
    const ended = (kind === 'CONNECT' ? this.#tunnel(id) : this.#forward(kind, id))
      .catch(() => 'cut')
      .then((failure) => {
        this.ends.push({ kind, id, failure });
        this.#running.delete(ended);
      });
    this.#running.add(ended);
  }

  async #forward(method: string, id: string): Promise<string | undefined> {
    const { hostname, port } = this.#proxy;
    const sent = request({ hostname, port, method, agent: this.#agent, path: `http://${this.#host}${id}` });
    sent.setHeader('Host', this.#host).end(method === 'POST' ? 'x'.repeat(1000) : undefined);
    return endOf(((await once(sent, 'response')) as [IncomingMessage])[0], id);
  }

  async #tunnel(id: string): Promise<string | undefined> {
    const { hostname, port } = this.#proxy;
    const asked = request({ hostname, port, method: 'CONNECT', path: this.#host }).end();
    const answered = once(asked, 'connect') as Promise<[IncomingMessage, Socket]>;
    const [answer, socket] = await answered;
    if (answer.statusCode !== 200) {
      socket.destroy();
      return endOf(answer, id);
    }
    socket.write(`GET ${id} HTTP/1.1\r\nHost: ${this.#host}\r\nConnection: close\r\n\r\n`);
    const chunks = (await socket.toArray()) as Buffer[];
    return Buffer.concat(chunks).toString().endsWith(id) ? undefined : 'cut';
  }
}

async function endOf(answer: IncomingMessage, id: string): Promise<string | undefined> {
  const { statusCode = 0, headers } = answer;
  const proxyStatus = String(headers['proxy-status'] ?? '');
  if (statusCode !== 200) return `${statusCode} ${/error=(\w+)/.exec(proxyStatus)?.[1] ?? ''}`;
  const chunks = (await answer.toArray()) as Buffer[];
  return Buffer.concat(chunks).toString() === id ? undefined : 'cut';
}
