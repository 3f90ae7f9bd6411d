import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LedgerProcess } from '../../support/ledger-process.js';

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('npm run ledger', () => {
  let home: string;
  let dataDir: string;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'ledger-cli-'));
    dataDir = join(home, 'data');
    const ledger = await LedgerProcess.open(dataDir);
    for (let n = 0; n < 20; n++) ledger.send(`create asset-${n}`);
    await ledger.count(/^acked /, 20);
    await ledger.close();
  });
  afterAll(() => {
    rmSync(home, { recursive: true });
  });

  async function run(...args: string[]): Promise<Result> {
    const child = spawn(process.execPath, [resolve('dist/apps/ledger-api/bundle/lib/ledger-tool.js'), ...args], {
      cwd: home,
      // What other programs would refuse is nothing to a tool that does not need it.
      env: { PATH: process.env['PATH'], LEDGER_DATA_DIR: dataDir, LEDGER_API_PORT: 'none', LEDGER_DRIVER: 'none' },
    });
    const result = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (result.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (result.stderr += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...result };
  }

  const headIn = ({ stdout }: Result) => /head (\d+:[0-9a-f]{64})/.exec(stdout)?.[1] ?? '';

  it('indexes the ledger and its export alike, continues the file, and refuses one of another chain', async () => {
    const [file, other, blocks] = ['chain.db', 'other.db', 'indexed'].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ];
    const counted = /^[0-9]+ blocks with [0-9]+ transactions are in /;
    const indexed = await run('index', '--out', file);
    expect(indexed).toMatchObject({ code: 0, stdout: expect.stringMatching(counted) as unknown });
    expect(await run('index', '--out', file)).toMatchObject({ code: 0, stdout: indexed.stdout });
    await run('export', blocks);
    expect(await run('index', '--out', other, '--blocks', blocks)).toMatchObject({ code: 0 });
    const rowsOf = (path: string) => {
      const db = new DatabaseSync(path, { readOnly: true });
      const rows = db.prepare('SELECT * FROM changes ORDER BY block, key').all();
      db.close();
      return rows;
    };
    expect(rowsOf(file)).toHaveLength(20);
    expect(rowsOf(other)).toEqual(rowsOf(file));
    const queries = /```sql\n(.*?)```/s.exec(readFileSync('docs/chain-index.md', 'utf8'))?.[1]?.split(';') ?? [];
    const db = new DatabaseSync(file, { readOnly: true });
    const found = queries.filter((sql) => sql.trim() !== '').map((sql) => db.prepare(sql).all());
    db.close();
    expect(found).toHaveLength(5);
    const second = await LedgerProcess.open(join(home, 'second'));
    await second.close();
    const refused = await run('index', '--out', file, '--data-dir', join(home, 'second'));
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not an index of this chain') as unknown,
    });
    expect(rowsOf(file)).toHaveLength(20);
    expect(await run('index')).toMatchObject({ code: 2 });
  });

  it('exports, verifies, imports, rebuilds and backs up', async () => {
    const verified = await run('verify');
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(verified.stdout).toContain('No errors found.');
    const head = headIn(verified);
    expect(head).not.toBe('');

    const [exported, imported, backup] = ['export', 'import', 'backup'].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ];
    expect(headIn(await run('export', exported))).toBe(head);
    expect(await run('verify', '--blocks', exported, '--expect', head)).toMatchObject({ code: 0 });
    const keys = join(dataDir, 'identities');
    expect(headIn(await run('import', exported, '--data-dir', imported, '--keys', keys, '--expect', head))).toBe(head);
    expect(headIn(await run('rebuild', '--data-dir', imported))).toBe(head);
    expect(await run('verify', '--data-dir', imported, '--expect', head)).toMatchObject({ code: 0 });
    expect(headIn(await run('backup', backup))).toBe(head);
    expect(await run('verify', '--data-dir', backup, '--expect', head)).toMatchObject({ code: 0 });
  });

  it('ends with 1 and names the block when a byte of it was changed', async () => {
    const exported = join(home, 'flipped');
    await run('export', exported);
    const file = join(exported, '000000001.block');
    const bytes = readFileSync(file);
    bytes[1000] = (bytes[1000] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const result = await run('verify', '--blocks', exported);
    expect(result.code).toBe(1);
    expect(result.stdout).toContain('block 1');
    expect(result.stdout).toContain('DAMAGED: see above.');
    expect(await run('import', exported, '--data-dir', join(home, 'none'))).toMatchObject({ code: 1, stdout: '' });
  });

  it('verifies the blocks of a Fabric channel, and reports what it checked', async () => {
    const blocks = join(home, 'channel');
    cpSync(resolve('test/fixtures/fabric-blocks/3.1.5'), blocks, { recursive: true });
    const sound = await run('verify', '--blocks', blocks);
    expect(sound).toMatchObject({ code: 0, stderr: '' });
    expect(sound.stdout.split('\n').slice(1, 7)).toEqual([
      'Checked: 1 configurations, 11 calls, 0 refused transactions, 40 signatures',
      '  _lifecycle: 3 calls, endorsed by /Channel/Application/LifecycleEndorsement',
      '  basic: 8 calls, endorsed by /Channel/Application/Endorsement',
      '  private data of _lifecycle in _implicit_org_Org1MSP: 6 reads and 6 writes by their hashes',
      '  private data of _lifecycle in _implicit_org_Org2MSP: 6 reads and 6 writes by their hashes',
      'No errors found.',
    ]);
    cpSync(join(blocks, '03.block'), join(blocks, '04.block'));
    const damaged = await run('verify', '--blocks', blocks);
    expect(damaged.code).toBe(1);
    expect(damaged.stdout).toContain('BLOCK_NUMBER: block 4: the block has the number 3 instead of 4');
    rmSync(join(blocks, '04.block'));
    expect(await run('verify', '--blocks', blocks)).toEqual({
      code: 1,
      stdout: '',
      stderr: `ledger-tool: ${blocks} does not contain block 4, but later blocks: fetch it too.\n`,
    });
  });

  it('ends at once on Ctrl-C, whatever it is busy with', async () => {
    const exported = join(home, 'endless');
    await run('export', exported);
    const file = join(exported, '000000001.block');
    rmSync(file);
    spawnSync('mkfifo', [file]);
    const child = spawn(
      process.execPath,
      [resolve('dist/apps/ledger-api/bundle/lib/ledger-tool.js'), 'verify', '--blocks', exported],
      {
        stdio: 'ignore',
      },
    );
    // It opens when the verification reads there, which has to wait for what never comes.
    const pipe = await open(file, 'w');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
    await pipe.close();
  });

  it('ends with 1 when the chain is not the one that was pinned', async () => {
    const other = 'ab'.repeat(32);
    expect(await run('verify', '--expect', `2:${other}`)).toMatchObject({ code: 1 });
    expect(await run('verify', '--genesis', other)).toMatchObject({ code: 1 });
  });

  it.each([
    ['no command', [], 2, /Usage: npm run ledger -- /],
    ['an unknown command', ['mend'], 2, /unknown command 'mend'/],
    ['a pin that is none', ['verify', '--expect', '3'], 2, /"3" is not HEIGHT:HASH/],
    ['a directory without its option', ['verify', '/nowhere'], 2, /too many arguments/],
    ['two places', ['verify', '--data-dir', 'a', '--blocks', 'b'], 2, /cannot be used with/],
    [
      'a directory without a ledger',
      ['verify', '--data-dir', '/nowhere'],
      1,
      /^ledger-tool: There is no ledger in \/nowhere/,
    ],
    ['an export into what is there', ['export', '.'], 1, /is not empty: name a new directory/],
    ['an import of what is no export', ['import', '.', '--data-dir', 'x'], 1, /export\.json cannot be read/],
  ])('refuses %s in one line', async (_, args, code, message) => {
    const result = await run(...args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(result.stderr).not.toContain('    at ');
  });

  it('explains itself', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    for (const command of ['verify', 'export', 'import', 'rebuild', 'backup']) expect(stdout).toContain(command);
  });
});
