import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkEmbeddedLedger, createEmbeddedLedger, rebuildLedger } from '../index.js';

const NAMES = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };
const STORE = 'channels/mychannel/ledger.db';

let home: string;
let original: string;
let copies = 0;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'ledger-check-'));
  original = join(home, 'original');
  const ledger = await createEmbeddedLedger({ ...NAMES, dataDir: original });
  await ledger.submit({ function: 'InitLedger', arguments: [] });
  await ledger.close();
});
afterAll(() => {
  rmSync(home, { recursive: true });
});

/** The names and digests of all files. */
function contentOf(directory: string): readonly string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return `${path} ${hash('sha256', readFileSync(path))}`;
  });
}

function copy(): string {
  const dataDir = join(home, `copy-${copies++}`);
  cpSync(original, dataDir, { recursive: true });
  return dataDir;
}

describe('checkEmbeddedLedger', () => {
  const remove = (file: string) => (dataDir: string) => {
    rmSync(join(dataDir, file));
  };

  it.each<readonly [string, (dataDir: string) => void, string]>([
    ['no ca.pem', remove('identities/ca.pem'), 'ca.pem'],
    ['no client.pem', remove('identities/client.pem'), 'client.pem'],
    ['no peer.pem', remove('identities/peer.pem'), 'peer.pem'],
    ['no orderer.pem', remove('identities/orderer.pem'), 'orderer.pem'],
    ['no head.pin', remove('channels/mychannel/head.pin'), 'pin'],
    ['no ledger.db', remove(STORE), 'ledger.db'],
    ['no ledger.json', remove('ledger.json'), 'ledger.json'],
    [
      'the manifest of another channel',
      (dataDir) => {
        writeFileSync(join(dataDir, 'ledger.json'), JSON.stringify({ format: 1, ...NAMES, channel: 'other' }));
      },
      'channel "other"',
    ],
    [
      'a text as its store',
      (dataDir) => {
        writeFileSync(join(dataDir, STORE), 'text'.repeat(5000));
      },
      'ledger.db',
    ],
    [
      'a cut store',
      (dataDir) => {
        truncateSync(join(dataDir, STORE), 8192);
      },
      'ledger.db',
    ],
    [
      'a store of a newer format',
      (dataDir) => {
        const db = new DatabaseSync(join(dataDir, STORE));
        db.exec('PRAGMA user_version = 9');
        db.close();
      },
      'has format 9',
    ],
  ])('refuses a directory with %s as its opening does, and changes nothing', async (_what, damage, named) => {
    const options = { ...NAMES, dataDir: copy() };
    damage(options.dataDir);
    const before = contentOf(options.dataDir);
    const refusal = await checkEmbeddedLedger(options).catch((error: unknown) => error as Error);
    expect(contentOf(options.dataDir)).toEqual(before);
    expect(refusal).toMatchObject({ message: expect.stringContaining(named) as unknown });
    await expect(createEmbeddedLedger(options)).rejects.toEqual(refusal);
  });

  it('accepts a directory that can be opened, also one that another process has open or that does not exist', async () => {
    const options = { ...NAMES, dataDir: copy() };
    const before = contentOf(options.dataDir);
    await checkEmbeddedLedger(options);
    await checkEmbeddedLedger({ ...options, readOnly: true });
    await checkEmbeddedLedger({ ...NAMES, dataDir: join(home, 'none') });
    expect(contentOf(options.dataDir)).toEqual(before);
    expect(readdirSync(home)).not.toContain('none');
    const ledger = await createEmbeddedLedger(options);
    await checkEmbeddedLedger(options);
    await checkEmbeddedLedger({ ...options, readOnly: true });
    await ledger.close();
  });

  it.each([
    ['missing', remove('channels/mychannel/head.pin')],
    [
      'empty',
      (dataDir: string) => {
        truncateSync(join(dataDir, 'channels/mychannel/head.pin'), 0);
      },
    ],
  ])(
    'defect: a start wrote a %s pin again if the chain had one block, as if nothing was lost',
    async (_what, damage) => {
      const options = { ...NAMES, dataDir: join(home, `cut-${copies++}`) };
      await (await createEmbeddedLedger(options)).close();
      damage(options.dataDir);
      const refusal = { code: 'LEDGER.DAMAGED', message: expect.stringContaining('rebuild') as unknown };
      await expect(checkEmbeddedLedger(options)).rejects.toMatchObject(refusal);
      await expect(createEmbeddedLedger(options)).rejects.toMatchObject(refusal);
      await rebuildLedger({ dataDir: options.dataDir });
      await (await createEmbeddedLedger(options)).close();
    },
  );

  it('accepts a rebuild that was interrupted before the new folder came to its place', async () => {
    const dataDir = copy();
    renameSync(join(dataDir, 'channels/mychannel'), join(dataDir, 'rebuilt'));
    await checkEmbeddedLedger({ ...NAMES, dataDir });
    await (await createEmbeddedLedger({ ...NAMES, dataDir })).close();
  });
});
