import { Readable } from 'node:stream';
import type { AssetsPage } from '#asset-contract';

type NextPage = (bookmark: string) => Promise<AssetsPage>;

/** Length of an empty array, `[]`. */
const EMPTY = 2;
const COMMA = 0x2c;

/**
 * Streams a whole list as one answer, page by page at the pace of the client: only one page is in memory, and no snapshot is
 * held. The first page is read before the answer starts, so that an unavailable ledger is a 500. A later failure destroys
 * the stream, which cuts the connection.
 */
export function assetList(message: string, first: AssetsPage, next: NextPage): Readable {
  return Readable.from(chunks(message, first, next), { objectMode: false });
}

async function* chunks(message: string, first: AssetsPage, next: NextPage): AsyncGenerator<Uint8Array> {
  const head = Buffer.from(`{"success":true,"message":${JSON.stringify(message)},"data":[`);
  let isFirst = true;
  for (let page = first; ; page = await next(page.bookmark)) {
    if (page.array.length > EMPTY) {
      // The opening bracket of each array becomes the comma between it and the previous one.
      page.array[0] = COMMA;
      yield isFirst ? Buffer.concat([head, page.array.subarray(1, -1)]) : page.array.subarray(0, -1);
      isFirst = false;
    }
    if (page.bookmark === '') break;
  }
  yield isFirst ? Buffer.concat([head, TAIL]) : TAIL;
}

const TAIL = Buffer.from(']}');
