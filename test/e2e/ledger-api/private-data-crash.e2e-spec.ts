import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { verifyLedger } from '#embedded-ledger';
import { LedgerProcess } from '../../support/ledger-process.js';

/** `npm run test:night` kills it 200 times. */
const ROUNDS = Number(process.env['LEDGER_KILLS'] ?? 3);
const WORKERS = 8;

it(`a ledger has lost no private value and retained no purged one, after ${ROUNDS} times kill -9`, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'private-crash-'));
  try {
    const [kept, purging, purged] = [new Set<string>(), new Set<string>(), new Set<string>()];
    for (let round = 0; round < ROUNDS; round++) {
      const ledger = await LedgerProcess.open(dataDir);
      ledger.send(`secrets round${round} ${WORKERS}`);
      await ledger.count(/^kept /, 1 + ((round * 37) % 120));
      await ledger.kill();
      const lines = [
        ['kept', kept],
        ['purging', purging],
        ['purged', purged],
      ] as const;
      for (const [name, keys] of lines) for (const [key = ''] of ledger.all(name)) keys.add(key);
    }
    expect(purged.size).toBeGreaterThan(0);
    const ledger = await LedgerProcess.open(dataDir);
    const lost: string[] = [];
    // A purge without an answer may have been committed.
    for (const key of [...kept].filter((each) => !purging.has(each))) {
      const line = await ledger.ask(`secret ${key}`, new RegExp(`^secret ${key} `));
      if (line !== `secret ${key} canary-of-${key}.`) lost.push(line);
    }
    for (const key of purged) await ledger.ask(`secret ${key}`, new RegExp(`^secret ${key} -$`));
    await ledger.close();
    expect(lost).toEqual([]);
    const { findings, privateValues } = await verifyLedger({ path: dataDir });
    expect([findings, privateValues?.present]).toEqual([[], privateValues?.total]);
    // Also of purges that were committed before a kill, and not finished.
    const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((name) => join(dataDir, name));
    const contents = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'latin1'));
    const left = [...purged].filter((key) => contents.some((content) => content.includes(`canary-of-${key}.`)));
    expect(left).toEqual([]);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
