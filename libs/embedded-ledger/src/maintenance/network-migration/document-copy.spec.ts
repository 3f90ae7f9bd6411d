import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Ledger } from '#ledger-gateway';
import { sealDocument } from '#records-contract';
import { migrateLedger, verifyLedger } from '../../index.js';
import { openLedger, TemporaryDirectory } from '../../testing/temporary-ledger.js';

async function read(ledger: Ledger, name: string, ...args: readonly string[]): Promise<unknown> {
  const bytes = await ledger.evaluate({ chaincode: 'records', function: name, arguments: args });
  return JSON.parse(Buffer.from(bytes).toString());
}

describe('the migration of records whose documents are outside the blocks', () => {
  const source = new TemporaryDirectory();
  const ana = sealDocument({ name: 'ana' }, randomBytes(32));

  beforeAll(async () => {
    const ledger = await openLedger(source.path);
    const records = { chaincode: 'records' } as const;
    await ledger.submit({ ...records, function: 'DefineType', arguments: ['patient', '{"payload":"outside"}'] });
    const transient = new Map([[ana.digest, ana.bytes]]);
    await ledger.submit({ ...records, function: 'Create', arguments: ['patient', 'p1', ana.digest], transient });
    await ledger.close();
  });
  afterAll(() => {
    source.remove();
  });

  it('copies the documents with their salts', async () => {
    const to = new TemporaryDirectory();
    const target = await openLedger(to.path);
    const report = await migrateLedger({ dataDir: source.path, target });
    expect(report).toMatchObject({ records: { created: 1 }, differing: 0 });
    expect(await read(target, 'Get', 'patient', 'p1')).toEqual({ h: ana.digest, v: 1 });
    expect(await read(target, 'Documents', JSON.stringify([ana.digest]))).toMatchObject([
      { document: { name: 'ana' } },
    ]);
    expect(await migrateLedger({ dataDir: source.path, target })).toMatchObject({ records: { created: 0 } });
    await target.close();
    expect((await verifyLedger({ path: to.path })).findings).toEqual([]);
    to.remove();
  });

  it('reports records whose documents are not stored', async () => {
    rmSync(source.file('private'), { recursive: true });
    const to = new TemporaryDirectory();
    const target = await openLedger(to.path);
    expect(await migrateLedger({ dataDir: source.path, target })).toMatchObject({
      records: { created: 0 },
      differing: 1,
      differences: [
        {
          id: 'records/patient/p1',
          kind: 'missing',
          reason: 'Its document is outside the blocks, and is not stored in this directory.',
        },
      ],
    });
    await target.close();
    to.remove();
  });
});
