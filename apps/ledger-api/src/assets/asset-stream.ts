import { Readable } from 'node:stream';
import type { AssetsPage } from './assets-page.js';

type NextPage = (bookmark: string) => Promise<AssetsPage>;

/**
 * The whole list as the text of one answer, read page by page as fast as the client takes it: one page is in memory, and
 * no snapshot is held. The first page is read before, so that a ledger that cannot answer is a 500; a failure further on
 * ends the stream with an error, which cuts the connection.
 */
export function assetStream(message: string, first: AssetsPage, next: NextPage): Readable {
  return Readable.from(chunks(message, first, next), { objectMode: false });
}

async function* chunks(message: string, first: AssetsPage, next: NextPage): AsyncGenerator<string> {
  let text = `{"success":true,"message":${JSON.stringify(message)},"data":[`;
  let separator = '';
  for (let page = first; ; page = await next(page.bookmark)) {
    if (page.assets !== '') {
      text += separator + page.assets;
      separator = ',';
    }
    if (page.bookmark === '') break;
    yield text;
    text = '';
  }
  yield `${text}]}`;
}
