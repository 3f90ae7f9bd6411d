import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import type { Ledger } from '#ledger-gateway';
import { recordsConformance } from '#ledger-gateway/testing';
import { rebuildLedger, verifyLedger } from './index.js';
import { codeOf, NAMES, openLedger, TemporaryDirectory } from './testing/temporary-ledger.js';

describe('the embedded ledger with records', () => {
  const directory = new TemporaryDirectory();
  let ledger: Ledger;
  beforeAll(async () => {
    ledger = await openLedger(directory.path);
  });
  afterAll(() => {
    directory.remove();
  });
  recordsConformance(() => ledger);

  it('reports an index of fields that was altered, and builds it again', async () => {
    await ledger.close();
    expect((await verifyLedger({ path: directory.path })).findings).toEqual([]);
    const store = new DatabaseSync(directory.file('channels', NAMES.channel, 'ledger.db'));
    // The first one would hide a record, and the second one show it for a value that it does not have.
    store.exec(`DELETE FROM record_fields WHERE id = 'v5';
      UPDATE record_fields SET value = 'eve' WHERE id = 'v7' AND field = 'user'`);
    store.close();
    expect(await verifyLedger({ path: directory.path })).toMatchObject({
      findings: [{ what: 'it does not follow from the blocks' }],
    });
    ledger = await openLedger(directory.path);
    const found = () => ledger.lists.records!({ type: 'visit', where: [{ field: 'user', value: 'eve' }], limit: 5 });
    expect(await codeOf(found())).toBe('LEDGER.DAMAGED');
    await ledger.close();
    await rebuildLedger({ dataDir: directory.path });
    expect((await verifyLedger({ path: directory.path })).findings).toEqual([]);
    ledger = await openLedger(directory.path);
    expect((await found()).items).toEqual([]);
    await ledger.close();
  });
});
