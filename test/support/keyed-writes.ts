import { expect } from '@jest/globals';
import { call, type Answer, type LedgerApi } from './ledger-api.js';

/** An asset's fields, as a request sends them. */
export const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

/** Creates an asset under a key at one of several servers. */
export async function createUnder(key: string, origin: string, body: object): Promise<Answer> {
  return call(origin, 'POST', '/api/v1/assets', { body, headers: { 'idempotency-key': key } });
}

/** Sends so many copies of one write at once, to the servers in turn: each is answered alike, and one made the transaction. */
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

/** Sends two bodies under each of so many keys at once, to two servers or one: one wins, the other is told 422. */
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

/** Writes that are under way at once when the server is killed. */
const AT_ONCE = 48;

/** Writes that are sent again would be made twice if anything let them: each gives an asset of its own to a new owner. */
export class KilledWrites {
  readonly #prefix: string;
  #rounds = 0;
  /** Writes that were committed, and not answered before the end. */
  unanswered = 0;

  /** @param prefix - of the ids of the assets */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** How many transactions there are to be, beside those that made the assets. */
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

  /** Kills a server in the midst of such writes, and sends all of them to the next one. */
  async round(api: LedgerApi, restart: () => Promise<LedgerApi>): Promise<LedgerApi> {
    const answered = new Map<string, string>();
    const writes = this.#ids().map(async (id) => {
      const { status, text } = await this.#transfer(id, api.origin);
      expect(status).toBe(200);
      answered.set(id, text);
      // At the first answer: what shares its block is committed too.
      api.program.process.kill('SIGKILL');
    });
    await Promise.allSettled(writes);
    await api.program.ended;
    expect(answered.size).toBeGreaterThan(0);
    const next = await restart();
    const repeated = await Promise.all(this.#ids().map((id) => this.#transfer(id, next.origin)));
    for (const [index, { status, text, headers }] of repeated.entries()) {
      expect({ status, text }).toMatchObject({ status: 200 });
      const before = answered.get(this.#ids()[index]!);
      if (before !== undefined) expect(text).toBe(before);
      else if (headers['idempotency-replayed'] === 'true') this.unanswered++;
    }
    this.#rounds++;
    return next;
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
