import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { verifyLedger } from '#embedded-ledger';
import { LedgerProcess } from '../../support/ledger-process.js';

/** `npm run test:night` kills it 200 times. */
const ROUNDS = Number(process.env['LEDGER_KILLS'] ?? 8);
const WORKERS = 8;

/** Returns the contents of all files of a directory. */
function contentsOf(directory: string): readonly string[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name));
  return files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'latin1'));
}

it(`a ledger has lost no document and retained no purged one, after ${ROUNDS} times kill -9`, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'documents-crash-'));
  const opened: LedgerProcess[] = [];
  const start = async (): Promise<LedgerProcess> => {
    const ledger = await LedgerProcess.open(dataDir);
    opened.push(ledger);
    return ledger;
  };
  const kept = new Map<string, string>();
  const [purging, purged] = [new Set<string>(), new Set<string>()];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const ledger = await start();
      ledger.send(`documents round${round} ${WORKERS}`);
      // By turns while values are stored and while they are erased, at different times.
      await ledger.count(round % 2 === 0 ? /^kept / : /^purging /, 1 + ((round * 37) % 60));
      await ledger.kill();
      for (const [id = '', version = ''] of ledger.all('kept')) kept.set(id, version);
      for (const [id = ''] of ledger.all('purging')) purging.add(id);
      for (const [id = ''] of ledger.all('purged')) purged.add(id);
    }
    expect(purged.size).toBeGreaterThan(0);
    const ledger = await start();
    const documentOf = async (id: string): Promise<string> => {
      const line = await ledger.ask(`document ${id}`, new RegExp(`^document ${id} `));
      return line.split(' ')[2] ?? '';
    };
    const lost: string[] = [];
    for (const [id, version] of kept) {
      if (purging.has(id)) continue;
      // An update without an answer may have been committed.
      const possible = [`canary-of-${id}.${version}`, `canary-of-${id}.second`];
      if (!possible.includes(await documentOf(id))) lost.push(id);
    }
    expect(lost).toEqual([]);
    const readable: string[] = [];
    for (const id of purged) if ((await documentOf(id)) !== '-') readable.push(id);
    expect(readable).toEqual([]);
    await ledger.close();
    const { findings, privateValues } = await verifyLedger({ path: dataDir });
    expect([findings, privateValues?.present]).toEqual([[], privateValues?.total]);
    const before = contentsOf(dataDir);
    expect([...purged].filter((id) => before.some((text) => text.includes(`canary-of-${id}.`)))).toEqual([]);

    // A purge without an answer was committed or not, and can be repeated in both cases.
    const open = await start();
    const unanswered = [...purging].filter((id) => !purged.has(id));
    const repeated: string[] = [];
    for (const id of unanswered) repeated.push(await open.ask(`purge ${id}`, new RegExp(`^(un)?purged ${id}( |$)`)));
    expect(repeated).toEqual(unanswered.map((id) => `purged ${id}`));
    const after = contentsOf(dataDir);
    expect([...purging].filter((id) => after.some((text) => text.includes(`canary-of-${id}.`)))).toEqual([]);
    await open.close();
    expect((await verifyLedger({ path: dataDir })).findings).toEqual([]);
  } finally {
    await Promise.all(opened.map((ledger) => ledger.kill()));
    rmSync(dataDir, { recursive: true });
  }
});
