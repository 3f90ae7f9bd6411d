import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const MAIN = resolve('dist/apps/ledger-api/bundle/lib/ledger-api.js');
/** A check that waits for a file never ends; SIGTERM would not be handled. */
const ENDLESS = { timeout: 30_000, killSignal: 'SIGKILL' } as const;
const UNREADABLE = 'cannot be read (not a regular file)';

describe('files of a chaincode that do not end', () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'endless-files-'));
  });
  afterAll(() => {
    rmSync(home, { recursive: true });
  });

  async function check(folder: string): Promise<string> {
    const { promise, resolve: resolveWith } = Promise.withResolvers<string>();
    const env = { PATH: process.env['PATH'], LEDGER_CHAINCODES: `cars=${folder}`, LEDGER_CHAINCODE_QUERIES: 'on' };
    execFile(process.execPath, [MAIN, '--check'], { cwd: home, env, ...ENDLESS }, (error, _stdout, stderr) => {
      resolveWith(error?.killed === true ? 'did not end' : stderr);
    });
    return promise;
  }

  it.each([
    ['chaincode.json', `its chaincode.json ${UNREADABLE}`],
    ['package.json', 'it has no valid package.json'],
    ['collections_config.json', UNREADABLE],
    ['META-INF/statedb/couchdb/indexes/owner.json', UNREADABLE],
  ])('are refused by --check: %s', async (name, reason) => {
    const create = {
      pipe: (file: string) => void execFileSync('mkfifo', [file]),
      device: (file: string) => {
        symlinkSync('/dev/zero', file);
      },
    };
    for (const [kind, put] of Object.entries(create)) {
      const folder = join(home, `${kind}-${name.replaceAll('/', '-')}`);
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      if (name !== 'package.json' && name !== 'chaincode.json') {
        writeFileSync(join(folder, 'chaincode.json'), '{"command": ["sleep", "30"]}');
      }
      put(file);
      expect(await check(folder)).toContain(reason);
    }
  });
});
