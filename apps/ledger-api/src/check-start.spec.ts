import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LedgerApiConfig, readConfig } from '#ledger-config';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { createLedgerApi, type LedgerApi } from './app.setup.js';
import { checkStart, requireUsableFiles } from './start.js';

const ASSET = { id: 'a', appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

let home: string;
let original: string;
let copies = 0;

function configOf(dataDir: string): LedgerApiConfig {
  return readConfig({
    LEDGER_DATA_DIR: dataDir,
    LEDGER_API_PORT: '0',
    LEDGER_TREE: 'on',
    LEDGER_TREE_ORIGIN: 'ledger.example.org/lisbon',
    LOG_LEVEL: 'silent',
  });
}

/** Starts like the program, without its signals. */
async function start(dataDir: string): Promise<LedgerApi> {
  const config = configOf(dataDir);
  await requireUsableFiles(config);
  const api = await createLedgerApi(config);
  try {
    await api.listeners.open(config.server, dataDir, api.app.get<ProgramLog>(PROGRAM_LOG).logger);
    return api;
  } catch (error) {
    await api.app.close();
    throw error;
  }
}

/** The names, types and digests of everything in a directory. */
function contentOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return `${path} ${entry.isFile() ? hash('sha256', readFileSync(path)) : ''}`;
  });
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'ledger-start-'));
  original = join(home, 'original');
  const api = await start(original);
  await api.app.inject({ method: 'POST', url: '/api/v1/assets', payload: ASSET });
  await api.app.close();
});
afterAll(() => {
  rmSync(home, { recursive: true });
});

const replaceBy = (create: (path: string) => void) => (path: string) => {
  rmSync(path, { recursive: true });
  create(path);
};
/** What can become of a file. A link to itself is unreadable for root too. */
const DAMAGES = {
  missing: replaceBy(() => undefined),
  empty: replaceBy((path) => {
    writeFileSync(path, '');
  }),
  garbage: replaceBy((path) => {
    writeFileSync(path, 'garbage '.repeat(4096));
  }),
  'a directory': replaceBy((path) => {
    mkdirSync(path);
  }),
  unreadable: replaceBy((path) => {
    symlinkSync(path, path);
  }),
  'a link to nothing': replaceBy((path) => {
    symlinkSync(join(tmpdir(), 'ledger-start-missing', 'file'), path);
  }),
  'a pipe': replaceBy((path) => {
    execFileSync('mkfifo', [path]);
  }),
  cut: (path) => {
    if (lstatSync(path).isFile()) truncateSync(path, Math.floor(lstatSync(path).size / 2));
  },
  'zero after its first page': (path) => {
    if (!lstatSync(path).isFile()) return;
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, Math.min(4096, bytes.length)));
  },
  'zero in its middle third': (path) => {
    if (!lstatSync(path).isFile()) return;
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, Math.floor(bytes.length / 3), Math.floor((bytes.length * 2) / 3)));
  },
} satisfies Readonly<Record<string, (path: string) => void>>;
type Damage = keyof typeof DAMAGES;
const ALL = Object.keys(DAMAGES) as Damage[];
/** A pipe is always refused: to open it would wait for ever. */
const ALWAYS: Damage = 'a pipe';
/** They leave a directory as it is. */
const IN_FILES: readonly Damage[] = ['cut', 'zero after its first page', 'zero in its middle third'];
const except = (...damages: readonly Damage[]) => ALL.filter((damage) => !damages.includes(damage));

/** Every file of a data directory, and with which damage a start is refused. */
const REFUSED: Readonly<Record<string, readonly Damage[]>> = {
  channels: except(...IN_FILES),
  'channels/mychannel': except(...IN_FILES),
  'channels/mychannel/head.pin': except('cut', 'zero after its first page'),
  'channels/mychannel/ledger.db': ALL,
  // Without identities a ledger is read-only, as one that was imported.
  identities: [],
  // Needed to issue a certificate only, and may be stored elsewhere.
  'identities/ca.key.pem': [],
  'identities/ca.pem': except('zero after its first page'),
  'identities/client.pem': except('zero after its first page'),
  'identities/orderer.pem': except('zero after its first page'),
  'identities/peer.pem': except('zero after its first page'),
  'ledger.json': except('zero after its first page'),
  'lock.db': ['a directory', 'a link to nothing', 'unreadable'],
  'lock.pid': [],
  tls: ['empty', 'garbage', 'a link to nothing', 'unreadable'],
  // Written again.
  'tls/cert.pem': ['a directory'],
  'tls/key.pem': ['a directory'],
  // Both are lost then, so that nothing shows that there was a tree.
  tree: ['empty', 'garbage', 'a link to nothing', 'unreadable'],
  'tree/keys': except('zero after its first page'),
  'tree/mychannel': except(...IN_FILES),
  'tree/mychannel/lock.db': ['a directory', 'a link to nothing', 'unreadable'],
  'tree/mychannel/state.json': except('zero after its first page'),
  // Follows from the blocks, and is built again.
  'tree/mychannel/tree.db': ['a directory'],
};

describe('checkStart', () => {
  it('is compared for every file of a data directory', () => {
    const files = readdirSync(original, { recursive: true, encoding: 'utf8' });
    expect(files.toSorted()).toEqual(Object.keys(REFUSED).toSorted());
  });

  it.each(Object.entries(REFUSED))(
    'refuses a directory as the start does, whatever became of %s',
    async (file, refused) => {
      for (const damage of ALL) {
        const dataDir = join(home, `copy-${copies++}`);
        cpSync(original, dataDir, { recursive: true });
        DAMAGES[damage](join(dataDir, file));
        const before = contentOf(dataDir);
        const messageOf = (error: unknown): string => (error as Error).message;
        const checked = await checkStart(configOf(dataDir)).then(() => 'accepted', messageOf);
        expect(contentOf(dataDir)).toEqual(before);
        const started = await start(dataDir).then(async ({ app }) => {
          await app.close();
          return 'accepted';
        }, messageOf);
        expect([damage, started]).toEqual([damage, checked]);
        expect([damage, started !== 'accepted']).toEqual([damage, damage === ALWAYS || refused.includes(damage)]);
        // In the program's words: the system's own name no reason.
        if (started !== 'accepted') expect(started).toMatch(/\.$/);
        rmSync(dataDir, { recursive: true });
      }
    },
  );

  it('reports what the start will replace, and what it will be unable to do', async () => {
    const dataDir = join(home, 'warnings');
    cpSync(original, dataDir, { recursive: true });
    DAMAGES.garbage(join(dataDir, 'tls/key.pem'));
    DAMAGES.garbage(join(dataDir, 'identities/ca.key.pem'));
    expect((await checkStart(configOf(dataDir))).warnings).toEqual([
      expect.stringMatching(/ca\.key\.pem .* contains no readable key/),
      expect.stringMatching(/self-signed certificate .* a start replaces it/),
    ]);
    DAMAGES.missing(join(dataDir, 'identities'));
    expect((await checkStart(configOf(dataDir))).warnings[0]).toMatch(/^The ledger is read-only/);
  });
});
