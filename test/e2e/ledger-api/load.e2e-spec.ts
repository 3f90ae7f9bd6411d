import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerApi } from '../../support/ledger-api.js';
import { until } from '../../support/until.js';
import { ledgerTool, spawnLedgerTool, type ToolResult } from '../../support/ledger-callers.js';

/** The names of all columns. */
const HEADER = 'id,appraisedValue,color,owner,size';

describe('ledger load', () => {
  let api: LedgerApi;
  let directory: string;
  beforeAll(async () => {
    api = await LedgerApi.start();
    directory = mkdtempSync(join(tmpdir(), 'ledger-load-'));
  });
  afterAll(async () => {
    await api.stop();
    rmSync(directory, { recursive: true });
  });

  const fileOf = (name: string, content: string | Buffer): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  const load = (...args: readonly string[]): Promise<ToolResult> =>
    ledgerTool(api.dataDir, 'load', ...args, '--url', `${api.origin}/api/v1`);
  const assets = async (prefix: string): Promise<string> =>
    (await api.api('GET', `/assets?prefix=${prefix}`, { headers: { accept: 'text/csv' } })).text;

  const CARS = [
    'ID,Farbe,size,owner,appraisedValue,docType',
    'csv-1,"light, ""blue""",5,"Ana\nMaria",300,asset',
    'csv-2,red,5,Ana',
    '',
    'csv-1,red,5,Eve,1,asset',
    'csv-3,red,5,Ana,300,asset',
  ].join('\r\n');
  const REFUSED = [
    { line: 4, code: 'API.INVALID_REQUEST' },
    { line: 6, id: 'csv-1', code: 'LEDGER.ASSET_EXISTS' },
  ];

  it('validates the records of a file without sending them', async () => {
    const { code, stdout, stderr } = await load(fileOf('dry.csv', CARS), '--map', 'color=Farbe', '--dry-run');
    expect(stdout).toBe('4 records: 3 valid, 1 not; nothing was sent.\n');
    expect(stderr).toContain('line 4: API.INVALID_REQUEST: The line is refused: appraisedValue is missing.');
    expect(code).toBe(1);
    expect(await assets('csv-')).not.toContain('csv-1');
  });

  it('creates the assets of a CSV file, reports the refused records, and creates nothing twice', async () => {
    const file = fileOf('cars.csv', CARS);
    const report = join(directory, 'report.ndjson');
    for (const isAgain of [false, true]) {
      const { code, stdout } = await load(file, '--map', 'color=Farbe', '--report', report);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^4 records: 2 created, 2 refused\.$/m);
      expect(stdout.includes('2 of them were created by an earlier run')).toBe(isAgain);
      const lines = readFileSync(report, 'utf8').trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject(REFUSED);
    }
    expect(await assets('csv-')).toMatch(/csv-1,300,"light, ""blue""","Ana\nMaria",5\r\ncsv-3,/);
  });

  it('loads the CSV that a list returned, and its assets as JSON lines', async () => {
    const lines = Array.from({ length: 1100 }, (_, n) => ({
      ...{ ID: `lines-${n}`, appraisedValue: '1', color: 'c', owner: 'o', size: 's' },
    }));
    const ndjson = fileOf('assets.ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect((await load(ndjson)).stdout).toContain('1100 records: 1100 created, 0 refused.');
    const list = await assets('lines-');
    const other = await LedgerApi.start();
    const args = ['load', fileOf('list.csv', list), '--url', `${other.origin}/api/v1`];
    expect(await ledgerTool(other.dataDir, ...args)).toMatchObject({ code: 0 });
    const { text } = await other.api('GET', '/assets?prefix=lines-', { headers: { accept: 'text/csv' } });
    expect(text).toBe(list);
    await other.stop();
  });

  it('loads back every text that the CSV of the API protects from spreadsheets', async () => {
    const lines = ['-300', "'-300", '＝1', "'x"].map((size, n) => ({
      ...{ id: `formula-${n}`, appraisedValue: '1', color: 'c', owner: 'o', size },
    }));
    await load(fileOf('formulas.ndjson', lines.map((line) => JSON.stringify(line)).join('\n')));
    const list = await assets('formula-');
    const other = await LedgerApi.start();
    // The path of the API may be left out.
    for (const [url, summary] of [
      [other.origin, '4 created'],
      [`${other.origin}/`, '4 of them were created by an earlier run'],
      [`${other.origin}/api/v1/`, '4 of them were created by an earlier run'],
    ] as const) {
      const loaded = await ledgerTool(other.dataDir, 'load', fileOf('formulas.csv', list), '--url', url);
      expect(loaded.stdout).toContain(summary);
    }
    const { text } = await other.api('GET', '/assets?prefix=formula-', { headers: { accept: 'text/csv' } });
    expect(text).toBe(list);
    expect(list).toMatch(/,'-300\r\n.*,''-300\r\n.*,'＝1\r\n.*,'x\r\n$/);
    await other.stop();
  });

  it('names the option that loads numbers, and loads them with it', async () => {
    const file = fileOf('numbers.ndjson', '{"id":"number-1","appraisedValue":1.50,"color":"c","owner":"o","size":5}');
    expect((await load(file)).stderr).toContain('--numbers-as-text loads them as texts.');
    expect(await load(file, '--numbers-as-text')).toMatchObject({ code: 0 });
    expect(await assets('number-')).toContain('number-1,1.50,c,o,5');
  });

  it('leaves to the ledger what is no asset', async () => {
    const file = fileOf('bad.ndjson', 'no json\n[]\n\n{"id":"bad-1"}\n');
    const { stdout, stderr } = await load(file);
    expect(stdout).toContain('4 records: 0 created, 4 refused.');
    expect(stderr.match(/line \d+: API\.INVALID_REQUEST/g)).toHaveLength(4);
  });

  it('refuses what is no table with one line', async () => {
    const { code, stderr } = await load(fileOf('quote.csv', `${HEADER}\n"a`));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^ledger-tool: Line 2 is not valid CSV[^\n]*\n$/);
  });

  it('defect: a quote that is never closed was found after hundreds of records had been created', async () => {
    const rows = (count: number): string => 'a,1,c,o,s\n'.repeat(count);
    const { code, stderr } = await load(fileOf('late.csv', `${HEADER}\n${rows(500)}b,1,"c,o,s\n${rows(200)}`));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^ledger-tool: Line 502 is not valid CSV[^\n]*\n$/);
    expect(await assets('a')).not.toContain('a,1,c,o,s');
  });

  it('defect: a load that a signal or the server ended printed neither its count nor how to continue', async () => {
    const other = await LedgerApi.start();
    const lines = Array.from({ length: 20_000 }, (_, n) => `end-${n},1,c,o,s\n`).join('');
    const file = fileOf('many.csv', `${HEADER}\n${lines}`);
    const child = spawnLedgerTool(other.dataDir, 'load', file, '--url', other.origin);
    const result = child.result();
    await until(async () => (await other.api('GET', '/assets/end-500')).status === 200);
    child.process.kill('SIGINT');
    const { stderr } = await result;
    expect(child.process.signalCode).toBe('SIGINT');
    expect(stderr).toMatch(/The load is incomplete\. Of \d+ records that were answered, \d+ were created\./);
    const [, key] = /--key (load-[0-9a-f]{64})/.exec(stderr) ?? [];
    const again = await ledgerTool(other.dataDir, 'load', file, '--url', other.origin, '--key', key!);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toMatch(
      /20000 records: 20000 created, 0 refused\.\n\d+ of them were created by an earlier run/,
    );
    await other.stop();
  });

  it('defect: a table without the needed columns was refused line by line, and one without rows was no failure', async () => {
    // Nothing listens there: the file is refused before a connection.
    const nowhere = ['--url', 'http://127.0.0.1:1/api/v1'];
    for (const [content, reason] of [
      ['id,color\na,b', 'has no column for appraisedValue, owner, size. Its columns are "id", "color".'],
      ['a|b\n1|2', 'has no column with the name of a field. Its columns are "a|b".'],
      [HEADER, 'contains no records.'],
    ] as const) {
      const result = await ledgerTool(api.dataDir, 'load', fileOf('lacking.csv', content), ...nowhere);
      expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(reason) as string });
    }
  });

  it('states that a file, a column or the server is missing', async () => {
    expect((await load(join(directory, 'none.csv'))).stderr).toBe(
      `ledger-tool: stat ${join(directory, 'none.csv')} failed: no such file or directory (ENOENT). Check the path.\n`,
    );
    expect(await load(directory)).toEqual({
      code: 1,
      stdout: '',
      stderr: `ledger-tool: ${directory} is a directory: name a .csv or .ndjson file.\n`,
    });
    expect((await load(fileOf('a.csv', 'id\na'), '--map', 'owner=Eigner')).stderr).toContain('no column "Eigner"');
    expect(await load(fileOf('b.csv', 'id\na'), '--map', 'name=x')).toMatchObject({ code: 2 });
    for (const url of ['foo', '', 'ftp://host/api/v1']) {
      const args = ['load', fileOf('d.csv', 'id\na'), '--url', url];
      const result = await ledgerTool(api.dataDir, ...args);
      expect(result).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^ledger-tool: .*Use a URL.*\n$/) as string,
      });
    }
    const refused = await ledgerTool(
      api.dataDir,
      'load',
      fileOf('c.csv', `${HEADER}\na`),
      '--url',
      `${api.origin}/api/v0`,
    );
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('The server answered 404') as string });
  });
});
