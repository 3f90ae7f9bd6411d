import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyLedger } from '#embedded-ledger';
import { KilledWrites, pinOf, proveOneOfCopies, proveOneOfTwoBodies } from '../support/keyed-writes.js';
import { LedgerApi } from '../support/ledger-api.js';

/** On a quiet machine the longest takes two minutes. */
const STEP_MS = 1_800_000;
const COPIES = 200;
const KILLS = 50;

describe('keyed writes on the embedded ledger', () => {
  let api: LedgerApi;
  beforeAll(async () => {
    api = await LedgerApi.start();
  }, STEP_MS);
  afterAll(async () => {
    await api.program.end();
    await rm(api.dataDir, { recursive: true });
  }, STEP_MS);
  const verified = () => verifyLedger({ path: api.dataDir });

  it(
    `are one transaction with ${COPIES} equal answers for as many concurrent copies`,
    async () => {
      const { transactions: before } = await verified();
      await proveOneOfCopies([api.origin], COPIES, 'copies');
      const { transactions, findings } = await verified();
      expect({ made: transactions - before, findings }).toEqual({ made: 1, findings: [] });
    },
    STEP_MS,
  );

  it(
    'are won by one of two bodies under one key, and the other gets 422',
    async () => {
      const keys = Array.from({ length: 20 }, (_, index) => `two-bodies-${index}`);
      const { transactions: before } = await verified();
      await proveOneOfTwoBodies([api.origin], keys);
      expect((await verified()).transactions - before).toBe(keys.length);
    },
    STEP_MS,
  );

  it(
    `have their first outcome after ${KILLS} times kill -9 between commit and answer`,
    async () => {
      const writes = new KilledWrites('killed');
      await writes.prepare(api.origin);
      const { transactions: before } = await verified();
      api = await writes.rounds(KILLS, api, () => LedgerApi.start({}, api.dataDir), pinOf(api));
      expect(writes.unanswered).toBeGreaterThan(0);
      const { transactions, findings } = await verified();
      expect({ made: transactions - before, findings }).toEqual({ made: writes.written, findings: [] });
      console.log(
        `${KILLS} ends, ${writes.written} writes, ${writes.unanswered} committed and not answered before one`,
      );
    },
    STEP_MS,
  );
});
