import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BuiltPage, PageFiles } from './page-files.js';

let folder: string;
let files: PageFiles;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'page-files-'));
  mkdirSync(join(folder, 'pages'));
  for (const path of ['index.html', 'pages/page-1a2b.js', 'pages/mark-3c4d.bin']) {
    for (const suffix of ['', '.br', '.gz']) writeFileSync(join(folder, path + suffix), `${path}${suffix}`);
  }
  const listed = [
    { path: '/', hash: 'one' },
    { path: '/pages/page-1a2b.js', hash: 'two' },
    { path: '/pages/mark-3c4d.bin', hash: 'three' },
  ];
  writeFileSync(join(folder, 'files.json'), JSON.stringify(listed));
  files = PageFiles.load(pathToFileURL(`${folder}/`))!;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('PageFiles', () => {
  it('serves the document, which is revalidated each time', () => {
    const { status, headers, body } = files.answer('/', {})!;
    expect([status, body.toString()]).toEqual([200, 'index.html']);
    expect(headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      ETag: '"one"',
      'X-Content-Type-Options': 'nosniff',
    });
    expect(headers).not.toHaveProperty('Content-Encoding');
    expect(headers['Content-Security-Policy']).not.toContain('unsafe');
  });

  it('gives what it loads for good, in the smallest coding that is taken', () => {
    const { headers, body } = files.answer('/pages/page-1a2b.js', { 'accept-encoding': 'gzip, br' })!;
    expect(body.toString()).toBe('pages/page-1a2b.js.br');
    expect(headers).toMatchObject({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Encoding': 'br',
      'Content-Type': 'text/javascript; charset=utf-8',
      ETag: '"two-br"',
    });
  });

  it('says so when the client has it', () => {
    for (const known of ['"one"', 'W/"one"', '"none", "one"', '*']) {
      expect(files.answer('/', { 'if-none-match': known })).toMatchObject({ status: 304, headers: { ETag: '"one"' } });
    }
    // The same bytes, written another way, are another answer.
    expect(files.answer('/', { 'if-none-match': '"one"', 'accept-encoding': 'gzip' })?.status).toBe(200);
  });

  it('takes what it does not know for bytes', () => {
    expect(files.answer('/pages/mark-3c4d.bin', {})?.headers['Content-Type']).toBe('application/octet-stream');
  });

  it('has nothing but its files', () => {
    for (const path of [
      '/index.html',
      '/files.json',
      '/pages/',
      '/pages/../files.json',
      '/index.htm',
      '/pages/page-1a2b.js.br',
      '',
    ]) {
      expect(files.answer(path, {})).toBeUndefined();
    }
  });

  it('is undefined when the pages were not built, and throws for an unreadable list', () => {
    expect(PageFiles.load(pathToFileURL(`${folder}/elsewhere/`))).toBeUndefined();
    mkdirSync(join(folder, 'broken'));
    writeFileSync(join(folder, 'broken/files.json'), '[');
    expect(() => PageFiles.load(pathToFileURL(`${folder}/broken/`))).toThrow(SyntaxError);
  });
});

describe('BuiltPage', () => {
  it('answers with a file, and leaves what is none to its caller, until it is built', async () => {
    const page = new BuiltPage(pathToFileURL(`${folder}/later/`));
    const answered: unknown[] = [];
    const reply = {
      status: (code: number) => (answered.push(code), reply),
      // Headers that were set before, such as for other origins, are kept.
      getHeader: () => 'Origin',
      header: (field: string, value: string) => answered.push(`${field}: ${value}`),
      headers: (fields: Record<string, string>) => (answered.push(fields['ETag']), reply),
      send: async (body?: Buffer) => Promise.resolve(answered.push(body?.toString())),
    };
    const headers = { 'accept-encoding': 'gzip' };
    expect(await page.send('/', { headers }, reply)).toBe(false);
    for (const name of readdirSync(folder).filter((each) => !each.includes('later'))) {
      cpSync(join(folder, name), join(folder, 'later', name), { recursive: true });
    }
    expect(await page.send('/', { headers }, reply)).toBe(true);
    expect(await page.send('/pages/none.js', { headers }, reply)).toBe(false);
    expect(answered).toEqual(['vary: Origin, Accept-Encoding', 200, '"one-gzip"', 'index.html.gz']);
  });
});
