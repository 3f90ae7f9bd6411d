import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerApi } from '../../support/ledger-api.js';

const WRITERS = 6;
const WRITES = 25;

let api: LedgerApi;
beforeAll(async () => {
  api = await LedgerApi.start();
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

describe('a read that starts after a write was answered', () => {
  it('returns what was written, on another connection, while many others read and write', async () => {
    for (let n = 0; n < WRITERS; n++) await api.create(`asset-${n}`, { owner: 'start' });
    let isDone = false;
    const reader = async (n: number): Promise<void> => {
      while (!isDone) expect((await api.api('GET', `/assets/asset-${n}`)).status).toBe(200);
    };
    const writer = async (n: number): Promise<unknown[]> => {
      const seen: unknown[] = [];
      for (let write = 0; write < WRITES; write++) {
        const path = `/assets/asset-${n}`;
        // Each call has a connection of its own.
        const answer = await api.api('PUT', `${path}/transfer`, { body: { newOwner: `owner-${write}` } });
        expect(answer.status).toBe(200);
        seen.push((await api.api('GET', path)).json);
      }
      return seen;
    };
    const readers = Array.from({ length: WRITERS }, (_, n) => reader(n));
    const seen = await Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n)));
    isDone = true;
    await Promise.all(readers);
    for (const answers of seen) {
      expect(answers).toMatchObject(Array.from({ length: WRITES }, (_, n) => ({ data: { owner: `owner-${n}` } })));
    }
  });
});
