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
  expect(made.length).toBeLessThanOrEqual(1);
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

/** What a round of {@link killDuringKeyedWrites} saw. */
export interface KilledWrites {
  /** Keys whose answer came before the end, with it. */
  readonly answered: ReadonlyMap<string, string>;
  readonly keys: readonly string[];
}

/** Kills a server in the midst of keyed writes, of which some then are committed and unanswered. */
export async function killDuringKeyedWrites(api: LedgerApi, round: string): Promise<KilledWrites> {
  const keys = Array.from({ length: AT_ONCE }, (_, index) => `${round}-${index}`);
  const answered = new Map<string, string>();
  const writes = keys.map(async (key) => {
    const { status, text } = await createUnder(key, api.origin, FIELDS);
    expect(status).toBe(201);
    answered.set(key, text);
    // The first answer: what shares its block is committed too.
    api.program.process.kill('SIGKILL');
  });
  await Promise.allSettled(writes);
  await api.program.ended;
  return { keys, answered };
}

/** Sends the writes of a killed server again. @returns how many were committed without an answer */
export async function proveFirstOutcomes(origin: string, { keys, answered }: KilledWrites): Promise<number> {
  const repeated = await Promise.all(keys.map((key) => createUnder(key, origin, FIELDS)));
  let unanswered = 0;
  for (const [index, { status, text, headers }] of repeated.entries()) {
    expect(status).toBe(201);
    const before = answered.get(keys[index]!);
    if (before !== undefined) expect(text).toBe(before);
    else if (headers['idempotency-replayed'] === 'true') unanswered++;
  }
  return unanswered;
}
