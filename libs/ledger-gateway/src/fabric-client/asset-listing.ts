import { MAX_PAGE_SIZE, type Asset } from '#asset-contract';
import { ContractRefusalError } from '../errors/ledger.errors.js';
import type { CallOptions } from '../ports/ledger.port.js';

/** One page of assets; the bookmark gives the next one, and is empty when there is none. */
export interface AssetPage {
  readonly assets: readonly Asset[];
  readonly bookmark: string;
}

/** For how long the pages behind the first are cut from the same listing. */
const KEPT_FOR_MS = 5000;

/** Pages cut from a chaincode's whole list, in byte order of the ids, without asking for the whole list for each page. */
export class AssetListing {
  readonly #read: (options: CallOptions) => Promise<readonly Asset[]>;
  #kept: { readonly assets: readonly Asset[]; readonly until: number } | undefined;

  constructor(read: (options: CallOptions) => Promise<readonly Asset[]>) {
    this.#read = read;
  }

  async all(options: CallOptions): Promise<readonly Asset[]> {
    const assets = await this.#read(options);
    // LevelDB keeps byte order; CouchDB has another.
    const isInOrder = assets.every(({ ID }, index) => index === 0 || compareIds(assets[index - 1]?.ID ?? '', ID) <= 0);
    return isInOrder ? assets : assets.toSorted((a, b) => compareIds(a.ID, b.ID));
  }

  /** @throws {@link ContractRefusalError} for a page size that is no number from 1 to 1000 */
  async page([pageSize = '', bookmark = '']: readonly string[], options: CallOptions): Promise<AssetPage> {
    const size = requirePageSize(pageSize);
    const assets = bookmark === '' ? await this.#list(options) : await this.#continue(options);
    const start = firstBehind(assets, bookmark);
    const page = assets.slice(start, start + size);
    return { assets: page, bookmark: start + size < assets.length ? (page.at(-1)?.ID ?? '') : '' };
  }

  /** Something was written: the next page is cut from a new list. */
  forget(): void {
    this.#kept = undefined;
  }

  async #list(options: CallOptions): Promise<readonly Asset[]> {
    const assets = await this.all(options);
    this.#kept = { assets, until: Date.now() + KEPT_FOR_MS };
    return assets;
  }

  async #continue(options: CallOptions): Promise<readonly Asset[]> {
    if (this.#kept !== undefined && Date.now() < this.#kept.until) return this.#kept.assets;
    return this.#list(options);
  }
}

function requirePageSize(text: string): number {
  const size = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= MAX_PAGE_SIZE) return size;
  throw new ContractRefusalError(
    'LEDGER.INVALID_ARGUMENT',
    `pageSize must be a whole number from 1 to ${MAX_PAGE_SIZE}`,
  );
}

/** Binary search for the first id above the bookmark. */
function firstBehind(assets: readonly Asset[], bookmark: string): number {
  let low = 0;
  let high = assets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIds(assets[middle]?.ID ?? '', bookmark) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** In byte order of UTF-8, which is that of code points. */
function compareIds(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all that one unit can hold. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
