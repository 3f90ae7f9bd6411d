import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { until } from './until.js';

/** One event as it came. */
export interface Message {
  readonly event: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ReaderOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Resumes after that event. */
  readonly after?: string;
}

/** A client that follows a stream of events and refuses everything that is not valid in one (WHATWG HTML, 9.2.5). */
export class EventReader {
  readonly messages: Message[] = [];
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  /** The id after which it would resume. */
  lastId = '';
  heartbeats = 0;
  /** Resolves when the stream has ended, however that happens. */
  readonly closed: Promise<void>;
  readonly #response: IncomingMessage;
  #rest = '';

  private constructor(response: IncomingMessage, after = '') {
    this.#response = response;
    this.headers = response.headers;
    this.status = response.statusCode ?? 0;
    this.lastId = after;
    this.closed = new Promise((resolve) => {
      response.once('close', resolve);
    });
    response.on('error', () => undefined);
    response.setEncoding('utf8').on('data', (text: string) => {
      this.#take(text);
    });
  }

  /** Connects; `url` is that of the events, with its query. */
  static async open(url: string, { headers, after }: ReaderOptions = {}): Promise<EventReader> {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const id = after === undefined ? {} : { 'last-event-id': after };
    const outgoing = send(url, { agent: false, rejectUnauthorized: false, headers: { ...headers, ...id } });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    outgoing.on('error', () => undefined);
    return new EventReader(response, after);
  }

  /** The ids of what came, in order. */
  get ids(): string[] {
    return this.messages.map(({ id }) => id);
  }

  /** Waits for a number of events. */
  async count(wanted: number): Promise<readonly Message[]> {
    await until(() => this.messages.length >= wanted || this.#response.destroyed);
    if (this.messages.length < wanted) throw new Error(`ended after ${this.messages.length} of ${wanted} events`);
    return this.messages;
  }

  /** Takes nothing more from the connection. */
  stopReading(): void {
    this.#response.pause();
  }

  async close(): Promise<void> {
    this.#response.destroy();
    await this.closed;
  }

  #take(text: string): void {
    const parts = (this.#rest + text).split('\n\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) this.#takeMessage(part);
  }

  #takeMessage(text: string): void {
    if (text === ':') {
      this.heartbeats += 1;
      return;
    }
    const fields = new Map<string, string>();
    for (const line of text.split('\n')) {
      const [, name = '', value = ''] = /^(event|id|data|retry): (.*)$/.exec(line) ?? [];
      if (name === '' || fields.has(name)) throw new Error(`not a line of an event stream: ${line}`);
      fields.set(name, value);
    }
    const { event, id, data } = Object.fromEntries(fields);
    this.lastId = id ?? this.lastId;
    if (event !== undefined) this.messages.push({ event, id: id!, data: JSON.parse(data!) as Message['data'] });
  }
}
