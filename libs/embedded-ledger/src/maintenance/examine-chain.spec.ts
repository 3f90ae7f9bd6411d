import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';

import { fillLedger, NAMES, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { exportLedger } from './administer-ledger.js';
import { verifyLedger } from './verify-ledger.js';

/** Long enough for more batches than one thread gets at once. */
const ASSETS = 800;

describe('a verification in threads', () => {
  const home = new TemporaryDirectory();
  const original = home.file('original');
  let work: TemporaryDirectory;
  let data: string;
  beforeAll(async () => {
    await fillLedger(original, ASSETS);
  });
  afterAll(() => {
    home.remove();
  });
  beforeEach(() => {
    work = new TemporaryDirectory();
    data = work.file('data');
    cpSync(original, data, { recursive: true });
  });
  afterEach(() => {
    work.remove();
  });

  const edit = (sql: string): void => {
    const db = new DatabaseSync(join(data, 'channels', NAMES.channel, 'ledger.db'));
    db.exec(sql);
    db.close();
  };

  /** The ledger's blocks in files, with one bit of each flipped at a different position, so that they can still be read. */
  const damagedExport = (): string => {
    const target = work.file('export');
    exportLedger({ dataDir: data, target });
    const files = readdirSync(target).filter((name) => name.endsWith('.block'));
    for (const [index, name] of files.slice(1).entries()) {
      const path = join(target, name);
      const bytes = readFileSync(path);
      const at = Math.floor((bytes.length * (index + 1)) / (files.length + 1));
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0x01, at);
      writeFileSync(path, bytes);
    }
    return target;
  };

  it.each<readonly [string, readonly number[], number, () => string]>([
    ['a sound ledger', [2], 0, () => data],
    [
      'damaged records of every kind',
      [2],
      4,
      () => {
        edit(`UPDATE state SET value = CAST('{}' AS BLOB) WHERE qualified_key = 'basic/asset-3';
          UPDATE transactions SET position = position + 1 WHERE block = 3;
          UPDATE history SET previous = 1 WHERE entry = 5;
          UPDATE dictionaries SET digest = zeroblob(16)`);
        return data;
      },
    ],
    [
      'a block that cannot be read',
      [1, 3],
      1,
      () => {
        edit('UPDATE blocks SET packed = zeroblob(9) WHERE number = (SELECT max(number) - 1 FROM blocks)');
        return data;
      },
    ],
    [
      'a missing block',
      [2],
      1,
      () => {
        edit('DELETE FROM blocks WHERE number = (SELECT max(number) - 1 FROM blocks)');
        return data;
      },
    ],
    ['exported blocks, each with another fault', [1, 4], 5, damagedExport],
  ])('finds in %s what one thread finds, in the same order', async (_, counts, least, damage) => {
    const path = damage();
    const alone = await verifyLedger({ path, threads: 0 });
    expect(alone.findings.length).toBeGreaterThanOrEqual(least);
    for (const threads of counts) expect(await verifyLedger({ path, threads })).toEqual(alone);
  });

  it.each(['at its start', 'on the way'])('that loses one %s fails, and never finds nothing wrong', async (when) => {
    const workers: Worker[] = [];
    const kill = (): void => {
      for (const worker of workers.splice(0, 1)) void worker.terminate();
    };
    const take = (message: unknown): void => {
      workers.push((message as { worker: Worker }).worker);
      if (when === 'at its start') kill();
    };
    subscribe('worker_threads', take);
    await expect(verifyLedger({ path: data, threads: 1, progress: kill })).rejects.toMatchObject({
      code: 'LEDGER.UNAVAILABLE',
    });
    unsubscribe('worker_threads', take);
  });

  it('reports its progress', async () => {
    const steps: (readonly [number, number, string])[] = [];
    const report = await verifyLedger({ path: data, progress: (...step) => steps.push(step) });
    expect(steps).toContainEqual([report.height, report.height, 'blocks']);
    edit('DELETE FROM state');
    expect((await verifyLedger({ path: data })).findings).toHaveLength(1);
    await expect(verifyLedger({ path: work.file('nowhere') })).rejects.toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
  });
});
