import { watch } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { call, FIELDS, type Answer, type LedgerApi } from './ledger-api.js';
import { until } from './until.js';

/** Where the embedded ledger of a server writes between a commit and its answers. */
export function pinOf({ dataDir }: LedgerApi): string {
  return join(dataDir, 'channels', 'mychannel', 'head.pin');
}

/** Creates an asset under a key at one of several servers. */
export async function createUnder(key: string, origin: string, body: object): Promise<Answer> {
  return call(origin, 'POST', '/api/v1/assets', { body, headers: { 'idempotency-key': key } });
}

/** Sends many copies of one write at once, to the servers in turn: all get the same answer, and one created the transaction. */
export async function proveOneOfCopies(origins: readonly string[], copies: number, key: string): Promise<Answer> {
  const answers = await Promise.all(
    Array.from({ length: copies }, (_, index) => createUnder(key, origins[index % origins.length]!, FIELDS)),
  );
  const [first] = answers;
  for (const { status, text } of answers) expect({ status, text }).toEqual({ status: 201, text: first!.text });
  const made = answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined);
  // Of copies that several servers have ordered at the same moment, none finds the transaction made by another.
  expect(made.length).toBeLessThanOrEqual(origins.length);
  return first!;
}

/** Sends two bodies under each of many keys at once, to two servers or one: one is written, the other gets 422. */
export async function proveOneOfTwoBodies(origins: readonly string[], keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const bodies = ['Ann', 'Bob'].map((owner) => ({ ...FIELDS, id: `${key}-${owner}`, owner }));
    const send = (body: object, index: number) => createUnder(key, origins[index % origins.length]!, body);
    const answers = await Promise.all(bodies.map(send));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 422]);
    const repeated = await Promise.all(bodies.map(send));
    expect(repeated.map(({ status }) => status)).toEqual(answers.map(({ status }) => status));
    const won = answers.findIndex(({ status }) => status === 201);
    expect(repeated[won]!.text).toBe(answers[won]!.text);
  }
}

/** Writes that are in flight at once when the server is killed. */
const AT_ONCE = 48;
/** How long a write is retried; only a busy machine needs this long. */
const ANSWER_MS = 120_000;

/** Writes whose repetition would be visible if it were executed twice: each transfers a different asset to a new owner. */
export class KilledWrites {
  readonly #prefix: string;
  #rounds = 0;
  /** Writes that were committed, and not answered before the end. */
  unanswered = 0;

  /** @param prefix - of the ids of the assets */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The expected number of transactions in addition to those that created the assets. */
  get written(): number {
    return this.#rounds * AT_ONCE;
  }

  isAsset(id: string): boolean {
    return id.startsWith(`${this.#prefix}-`);
  }

  async prepare(origin: string): Promise<void> {
    const made = await Promise.all(this.#ids().map((id) => createUnder(id, origin, { ...FIELDS, id })));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
  }

  /**
   * Ends something in the midst of such writes, and sends all of them again when it is back, as a program does that wants
   * an answer: until it is neither 409 nor 5xx.
   * @param kill - called at the first answer, at the latest: what shares its block is committed too
   * @param restart - returns the server to which they are then sent
   */
  async round(origin: string, kill: () => void, restart: () => Promise<string>): Promise<void> {
    const answered = new Map<string, string>();
    const writes = this.#ids().map(async (id) => {
      const { status, text } = await this.#transfer(id, origin);
      expect(status === 200 || status === 409 || status >= 500).toBe(true);
      if (status !== 200) return;
      if (answered.size === 0) kill();
      answered.set(id, text);
    });
    await Promise.allSettled(writes);
    const next = await restart();
    await Promise.all(
      this.#ids().map(async (id) => {
        const { status, text, headers } = await this.#answerOf(id, next);
        expect({ id, status, text }).toMatchObject({ id, status: 200 });
        const before = answered.get(id);
        if (before !== undefined) expect(text).toBe(before);
        else if (headers['idempotency-replayed'] === 'true') this.unanswered++;
      }),
    );
    this.#rounds++;
  }

  /**
   * Rounds in which the server itself is killed.
   * @param pin - the file that an embedded ledger writes between a commit and its answers
   */
  async rounds(count: number, api: LedgerApi, restart: () => Promise<LedgerApi>, pin?: string): Promise<LedgerApi> {
    let current = api;
    for (let round = 1; round <= count; round++) {
      const { program, origin } = current;
      const kill = (): void => {
        program.process.kill('SIGKILL');
      };
      const watcher = pin === undefined ? undefined : watch(pin, kill);
      await this.round(origin, kill, async () => {
        await program.ended;
        watcher?.close();
        current = await restart();
        return current.origin;
      });
      if (round % 10 === 0) console.log(`${this.#prefix}: ${round} ends of ${count}, ${this.unanswered} unanswered`);
    }
    return current;
  }

  async #answerOf(id: string, origin: string): Promise<Answer> {
    let answer = await this.#transfer(id, origin);
    await until(async () => {
      if (answer.status !== 409 && answer.status < 500) return true;
      answer = await this.#transfer(id, origin);
      return false;
    }, ANSWER_MS);
    return answer;
  }

  #ids(): string[] {
    return Array.from({ length: AT_ONCE }, (_, index) => `${this.#prefix}-${index}`);
  }

  #transfer(id: string, origin: string): Promise<Answer> {
    const owner = `round ${this.#rounds}`;
    const headers = { 'idempotency-key': `${id}/${this.#rounds}` };
    return call(origin, 'PUT', `/api/v1/assets/${id}/transfer`, { body: { newOwner: owner }, headers });
  }
}
