import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from '../../support/program.js';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ledger-api-cli-'));
});
afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
});

/** Runs ledger-api in an empty directory until it exits. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const program = new Program({ main: 'apps/ledger-api/bundle/lib/ledger-api.js', args, env, cwd });
  const { code } = await program.ended;
  return { code, stdout: program.stdout, stderr: program.stderr };
}

const TREE = { LEDGER_TREE: 'on', LEDGER_TREE_ORIGIN: 'ledger.example.org/lisbon' };

describe('defect: options started the server and created a data directory', () => {
  it.each([
    [['--help'], 0, 'Usage: ledger-api'],
    [['-h'], 0, 'Usage: ledger-api'],
    [['--version'], 0, '0.'],
    [['--check'], 0, 'valid'],
    [['--bogus'], 2, ''],
    [['start'], 2, ''],
    [['--port', 'http'], 2, ''],
    [['--port', '65536'], 2, ''],
    [['--data-dir', ''], 2, ''],
  ])('%j exits with %i and writes nothing', async (args, code, printed) => {
    const ended = await run(args);
    expect([ended.code, await readdir(cwd)]).toEqual([code, []]);
    expect(ended.stdout).toContain(printed);
    expect(ended.stderr === '').toBe(code === 0);
  });

  it.each([
    ['an invalid variable', [], { LEDGER_API_PORT: 'http' }, 'LEDGER_API_PORT'],
    ['a port that https uses', ['--port', '3443'], {}, 'LEDGER_API_HTTPS_PORT'],
    ['an MSP id that the ledger would refuse', [], { LEDGER_MSP_ID: '.x' }, 'LEDGER_MSP_ID'],
    ['a file as the data directory', ['--data-dir', 'file'], {}, 'LEDGER.MISCONFIGURED'],
    ['a missing trust policy', [], { ...TREE, LEDGER_WITNESS_POLICY: 'none' }, 'LEDGER_WITNESS_POLICY=none'],
    ['an invalid trust policy', [], { ...TREE, LEDGER_WITNESS_POLICY: 'file' }, 'LEDGER_WITNESS_POLICY=file'],
    ["the name of the ledger's own contract", ['--chaincode', 'basic=grpc://127.0.0.1:9'], {}, 'LEDGER_CHAINCODES'],
    ['an impossible port', ['--chaincode', 'a=grpc://h:99999'], {}, 'LEDGER_CHAINCODES'],
    ['an invalid callers file', [], { LEDGER_AUTH: 'on', LEDGER_CALLERS_FILE: 'file' }, 'file'],
  ])('--check exits with 1 for %s', async (_, args, env, named) => {
    await writeFile(join(cwd, 'file'), '', { mode: 0o600 });
    const { code, stderr } = await run(['--check', ...args], env);
    expect([code, await readdir(cwd)]).toEqual([1, ['file']]);
    expect(stderr).toContain(named);
  });
});

it('listens on --port with the ledger in --data-dir', async () => {
  const program = new Program({
    main: 'apps/ledger-api/bundle/lib/ledger-api.js',
    args: ['--port', '0', '--data-dir', 'elsewhere'],
    env: { LEDGER_API_PORT: '1', LEDGER_API_HTTPS_PORT: '0' },
    cwd,
  });
  try {
    const { http = '' } = await program.ready();
    expect(http).not.toContain(':1/');
    expect(await readdir(cwd)).toEqual(['elsewhere']);
  } finally {
    await program.end();
  }
});
