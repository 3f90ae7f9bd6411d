const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const HEAD = '{"assets":[';
/** Within a string its quotes would be escaped, so the last one is the page's own. */
const TAIL = '],"bookmark":';

/** Some assets of the list. */
export interface AssetsPage {
  /** JSON text of the assets with commas between them, as they stand in an array; empty when there is none. */
  readonly assets: string;
  /** Gives the next page; empty when there is none. */
  readonly bookmark: string;
}

/**
 * What the contract's GetAssetsPage gave. The assets stay text: parsed, a whole list would be made into objects only to be
 * written again, which doubles what the process grows by meanwhile.
 *
 * @throws `TypeError` for anything that is not `{"assets":[…],"bookmark":"…"}`
 */
export function readAssetsPage(bytes: Uint8Array): AssetsPage {
  const text = utf8.decode(bytes);
  const end = text.lastIndexOf(TAIL);
  if (!text.startsWith(HEAD) || end < HEAD.length || !text.endsWith('}')) {
    throw new TypeError('The contract gave something else than a page of assets.');
  }
  return { assets: text.slice(HEAD.length, end), bookmark: bookmarkOf(text.slice(end + TAIL.length, -1)) };
}

function bookmarkOf(json: string): string {
  const bookmark: unknown = JSON.parse(json);
  if (typeof bookmark === 'string') return bookmark;
  throw new TypeError('The contract gave a page of assets without a bookmark.');
}
