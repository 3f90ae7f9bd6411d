import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LiveList, NOWHERE, type Listed, type ProxyStats } from '#metrics';
import type { ClientSource } from '../relay/byte-source.js';

/** When a peer that vanished without a word is first asked (TCP keep-alive). */
const TCP_KEEP_ALIVE_MS = 60_000;

/** Whoever reads the requests of a connection. */
export interface RequestSource {
  /** Whether requests have come, all are answered, and nothing of another one has come. */
  readonly rests: boolean;
  /** Makes the connection known to node:http, which has limits for those that send nothing. */
  meetParser(): void;
}

/** What is known of one open client connection. */
export interface ClientConnection {
  /** What its socket is read by. */
  readonly source: ClientSource;
  /** Whether it is counted: it has carried a proxied request. */
  counted: boolean;
  /** Came when as many were open as may be: it may look at /stats, nothing else, while that is so. */
  readonly overLimit: boolean;
  /** The answer to its latest request; absent before the first one and when node:http has let go of it. */
  response?: ServerResponse | undefined;
  /** Its last answer has been written: nothing more is read from it. */
  refused: boolean;
  /** node:http has let go of it: a tunnel, or another protocol. */
  left: boolean;
  /** A request is being served that node:http has not seen. */
  busy: boolean;
  /** Reads its requests; absent when they are not read. */
  client?: RequestSource | undefined;
}

const ENTRY = Symbol('entry');

interface KnownSocket extends Socket {
  [ENTRY]?: Entry;
}

class Entry implements ClientConnection, Listed {
  place = NOWHERE;
  counted = false;
  response: ServerResponse | undefined = undefined;
  refused = false;
  left = false;
  busy = false;
  client: RequestSource | undefined = undefined;
  /** Bytes that had come when it was last looked at, and for how many milliseconds it has been so many. */
  seen = 0;
  idle = 0;
  /** Whether it has been looked at: it lives for more than a moment. */
  aged = false;
  readonly source: ClientSource;
  readonly overLimit: boolean;
  readonly #owner: ClientConnections;

  constructor(owner: ClientConnections, source: ClientSource, overLimit: boolean) {
    this.#owner = owner;
    this.source = source;
    this.overLimit = overLimit;
  }

  get socket(): Socket {
    return this.source.socket;
  }

  closed(): void {
    this.#owner.closedOne(this);
  }
}

// Shared by all sockets: a listener of its own would cost each one a closure.
function onClose(this: KnownSocket): void {
  this[ENTRY]?.closed();
}

/**
 * The client connections that are open, whoever reads them at the moment: node:http, or a tunnel that took one over.
 * The proxy's statistics count one from its first proxied request until it closes.
 */
export class ClientConnections {
  readonly #open = new LiveList<Entry>();
  readonly #waiting: (() => void)[] = [];
  readonly #stats: ProxyStats;
  readonly #limit: number;

  /** @param limit - how many may be open before newcomers are over the limit */
  constructor(stats: ProxyStats, limit: number) {
    this.#stats = stats;
    this.#limit = limit;
  }

  /** How many are open, counted or not. */
  get open(): number {
    return this.#open.size;
  }

  /** A client has connected. */
  add(source: ClientSource): ClientConnection {
    const overLimit = this.#open.size >= this.#limit;
    const entry = new Entry(this, source, overLimit);
    const socket: KnownSocket = source.socket;
    socket[ENTRY] = entry;
    this.#open.add(entry);
    socket.on('close', onClose);
    return entry;
  }

  /** The connection of a socket; undefined when it has closed. */
  get(socket: Socket): ClientConnection | undefined {
    const entry = (socket as KnownSocket)[ENTRY];
    return entry === undefined || entry.place === NOWHERE ? undefined : entry;
  }

  /** Whether a connection that came over the limit is still over it. */
  isOverLimit(connection: ClientConnection): boolean {
    return connection.overLimit && this.#open.size > this.#limit;
  }

  /** The connection carries a request that was found in order and has a target; its first one counts it. */
  proxied(socket: Socket): void {
    const connection = this.get(socket);
    if (connection === undefined || connection.counted) return;
    connection.counted = true;
    this.#stats.connectionOpened();
  }

  /** Resolves when none is open. */
  async closed(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The answers that are under way. */
  get answers(): ServerResponse[] {
    return [...this.#open].flatMap(({ response }) => (response?.closed === false ? [response] : []));
  }

  /** Ends those that never sent a byte: node:http does not take them for idle. */
  destroySilent(): void {
    for (const { socket } of this.#open) if (socket.bytesRead === 0) socket.destroy();
  }

  /**
   * Ends those that have waited for another request too long. To be called now and then, so that a request need not set
   * and reset a timer (which node:http's keepAliveTimeout does). Connections that are still there get TCP keep-alive,
   * which finds peers that vanished: four system calls that those of a moment do without; large read buffers go back; and
   * node:http gets to know of those that have said nothing, for its limit.
   *
   * @param elapsed - milliseconds since the last call
   * @param limit - in milliseconds; 0 for none
   */
  destroyIdle(elapsed: number, limit: number): void {
    for (const entry of this.#open) {
      const { socket } = entry;
      if (!entry.aged) age(socket, entry);
      if (!entry.left) entry.source.trim?.();
      if (limit === 0) continue;
      const waits = isAnswered(entry) && entry.seen === socket.bytesRead;
      entry.idle = waits ? entry.idle + elapsed : 0;
      entry.seen = socket.bytesRead;
      if (entry.idle >= limit) socket.destroy();
    }
  }

  /** Ends those whose requests are all answered. */
  destroyResting(): void {
    for (const { socket, client } of this.#open) if (client?.rests === true) socket.destroy();
  }

  /** Cuts every connection that is open. */
  destroyAll(): void {
    for (const { socket } of this.#open) socket.destroy();
  }

  /** @internal */
  closedOne(entry: Entry): void {
    if (!this.#open.delete(entry)) return;
    if (entry.counted) this.#stats.connectionClosed();
    if (this.#open.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Whether it waits for another request, or for the rest of one. */
function isAnswered({ response, busy, client }: ClientConnection): boolean {
  return !busy && (response === undefined ? client?.rests === true : response.closed);
}

/** Looks at a connection for the first time. */
function age(socket: Socket, entry: Entry): void {
  entry.aged = true;
  if (socket.bytesRead === 0) entry.client?.meetParser();
  socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
}
