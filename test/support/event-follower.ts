import { setTimeout as delay } from 'node:timers/promises';
import { EventReader, type Message } from './event-reader.js';
import { until } from './until.js';

/** Milliseconds after which a follower connects again. */
const AGAIN_MS = 20;

/** A client that follows events from the first block on, whatever happens to its connections, as a careful program does. */
export class Follower {
  connections = 0;
  readonly #urlOf: () => string;
  readonly #ended: Promise<void>;
  readonly #past: Message[] = [];
  #reader: EventReader | undefined;
  #lastId: string | undefined;
  #fault: string | undefined;
  #hasEnded = false;

  /** @param urlOf - where the events are now */
  constructor(urlOf: () => string) {
    this.#urlOf = urlOf;
    this.#ended = this.#run();
  }

  /** All received events, in order. */
  get messages(): readonly Message[] {
    return [...this.#past, ...(this.#reader?.messages ?? [])];
  }

  /** Breaks its connection. */
  async cut(): Promise<void> {
    await this.#reader?.close();
  }

  /** Waits until that event is the last received one. */
  /** Waits until the follower has seen the event that ends a block. */
  async reached(block: number, limitMs?: number): Promise<void> {
    await until(() => {
      if (this.#fault !== undefined) throw new Error(this.#fault);
      return (this.#reader?.lastId ?? this.#lastId ?? '').startsWith(`${block}:end:`);
    }, limitMs);
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.cut();
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#hasEnded) {
      try {
        await this.#follow();
      } catch {
        // No server listens there now.
      }
      if (this.#fault !== undefined) return;
      await delay(AGAIN_MS);
    }
  }

  async #follow(): Promise<void> {
    const after = this.#lastId === undefined ? {} : { after: this.#lastId };
    const reader = await EventReader.open(`${this.#urlOf()}?from=0`, after);
    if (reader.status !== 200) {
      await reader.close();
      if (reader.status < 500) this.#fault = `${reader.status} behind ${this.#lastId ?? 'nothing'}`;
      return;
    }
    this.connections += 1;
    this.#reader = reader;
    if (this.#hasEnded) await reader.close();
    await reader.closed;
    this.#past.push(...reader.messages);
    if (reader.lastId !== '') this.#lastId = reader.lastId;
    this.#reader = undefined;
  }
}
