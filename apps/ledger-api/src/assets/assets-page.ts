import { isUtf8 } from 'node:buffer';

const HEAD = Buffer.from('{"assets":');
/** Within a string its quotes would be escaped, so the last one is the page's own. */
const TAIL = Buffer.from(',"bookmark":');
const [OPEN, CLOSE, END] = Buffer.from('[]}');

/** Some assets of the list. */
export interface AssetsPage {
  /** JSON array of the assets in UTF-8. The page's alone: whoever has it may write over it. */
  readonly array: Uint8Array;
  /** Gives the next page; empty when there is none. */
  readonly bookmark: string;
}

/**
 * What the contract's GetAssetsPage gave. The assets stay the bytes they are: made into text or objects, a whole list
 * would be made only to be written again, and what that leaves behind is most of what the process grows by meanwhile.
 *
 * @throws `TypeError` for anything that is not `{"assets":[…],"bookmark":"…"}`
 */
export function readAssetsPage(bytes: Uint8Array): AssetsPage {
  const page = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = page.lastIndexOf(TAIL);
  const array = page.subarray(HEAD.length, Math.max(HEAD.length, end));
  const isPage = page.indexOf(HEAD) === 0 && array.length > 1 && array[0] === OPEN && array.at(-1) === CLOSE;
  if (!isPage || page.at(-1) !== END || !isUtf8(page)) {
    throw new TypeError('The contract gave something else than a page of assets.');
  }
  return { array, bookmark: bookmarkOf(page.toString('utf8', end + TAIL.length, page.length - 1)) };
}

function bookmarkOf(json: string): string {
  const bookmark: unknown = JSON.parse(json);
  if (typeof bookmark === 'string') return bookmark;
  throw new TypeError('The contract gave a page of assets without a bookmark.');
}
