import { setImmediate as turn } from 'node:timers/promises';
import { PrivateReader } from '../private/private-reader.js';
import { openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { SnapshotPool } from './snapshot-pool.js';

describe('SnapshotPool', () => {
  let directory: TemporaryDirectory;
  let logCopied: Promise<undefined> | undefined;
  let pool: SnapshotPool;
  beforeAll(async () => {
    directory = new TemporaryDirectory();
    await (await openLedger(directory.path)).close();
    const values = new PrivateReader(directory.file('private', 'mychannel.db'));
    pool = new SnapshotPool(directory.file('channels', 'mychannel', 'ledger.db'), values, () => logCopied);
  });
  afterAll(() => {
    pool.close();
    directory.remove();
  });

  it('begins no snapshot while the pages of a long log wait for the earlier ones', async () => {
    const first = Promise.withResolvers<undefined>();
    const started: number[] = [];
    const copied = Promise.withResolvers<undefined>();
    const one = pool.use(async () => {
      started.push(1);
      await first.promise;
    });
    await turn();
    logCopied = copied.promise;
    const two = pool.use(() => Promise.resolve(started.push(2)));
    await turn();
    first.resolve(undefined);
    await one;
    expect(started).toEqual([1]);
    logCopied = undefined;
    copied.resolve(undefined);
    await two;
    expect(started).toEqual([1, 2]);
  });

  it('begins one after a time, when an earlier one does not end', async () => {
    logCopied = new Promise<undefined>(() => undefined);
    expect(await pool.use(({ height }) => Promise.resolve(height))).toBe(1);
    logCopied = undefined;
  });
});
