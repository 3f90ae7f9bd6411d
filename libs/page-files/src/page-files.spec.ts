import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Fastify, { type FastifyInstance } from 'fastify';
import { BuiltPage } from './index.js';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Serves a page whose files have the modification time that npm sets for all files of a package. */
function serve(document: string): FastifyInstance {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  folders.push(folder);
  for (const name of ['index.html', 'index.html.br']) {
    writeFileSync(join(folder, name), document);
    utimesSync(join(folder, name), 499_162_500, 499_162_500);
  }
  const page = new BuiltPage(pathToFileURL(`${folder}/`));
  const fastify = Fastify();
  page.register(fastify);
  fastify.get('/', (_, reply) => {
    page.sendDocument(reply);
  });
  return fastify;
}

describe('BuiltPage', () => {
  it('answers 304 for the same document only, not for one of the same size and time', async () => {
    const [old, next] = [serve('<script src="pages/a1.js">'), serve('<script src="pages/b2.js">')];
    const { headers, statusCode } = await old.inject('/');
    expect(statusCode).toBe(200);
    const again = { url: '/', headers: { 'if-none-match': String(headers.etag) } };
    expect((await old.inject(again)).statusCode).toBe(304);
    expect(await next.inject(again)).toMatchObject({ statusCode: 200, body: '<script src="pages/b2.js">' });
  });
});
