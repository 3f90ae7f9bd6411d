import { setImmediate as nextTurn } from 'node:timers/promises';
import { MAX_PAGE_SIZE, assetOf, parseLossless, type Asset } from '#asset-contract';
import { LedgerError } from '../errors/ledger.errors.js';
import type { FabricCallOptions } from './chaincode-calls.js';

/** How long the pages after the first one come from the same cached list. */
const CACHE_MS = 5000;
/** Records decoded in one turn of the event loop: a whole list in one would delay other requests. */
const RECORDS_IN_A_TURN = 500;

interface CachedList {
  readonly assets: readonly Asset[];
  readonly caller: string | undefined;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const NO_LIST: CachedList = { assets: [], caller: undefined, until: 0 };

/** The assets of fabric-samples' chaincode, which returns all at once, in pages. The list is cached between the pages. */
export class SampleList {
  readonly #read: (options: FabricCallOptions) => Promise<Uint8Array>;
  /** The list of one caller: another one may not be allowed to read it. */
  #cached = NO_LIST;

  /** @param read - calls the chaincode's function that lists all assets */
  constructor(read: (options: FabricCallOptions) => Promise<Uint8Array>) {
    this.#read = read;
  }

  /** Reads all assets, and returns them in byte order of their ids. */
  async all(options: FabricCallOptions): Promise<readonly Asset[]> {
    const assets = await readAssets(await this.#read(options));
    // LevelDB returns byte order, CouchDB does not.
    const isInOrder = assets.every(({ ID }, index) => index === 0 || compareIds(assets[index - 1]?.ID ?? '', ID) <= 0);
    const sorted = isInOrder ? assets : assets.toSorted((a, b) => compareIds(a.ID, b.ID));
    this.#cached = { assets: sorted, caller: options.caller, until: Date.now() + CACHE_MS };
    return sorted;
  }

  /**
   * Returns a page; its bookmark requests the next one and is empty after the last one.
   * @throws a refusal of the contract for a page size that is no number from 1 to 1000
   */
  async page(
    [pageSize = '', bookmark = '']: readonly string[],
    options: FabricCallOptions,
  ): Promise<{ readonly assets: readonly Asset[]; readonly bookmark: string }> {
    const size = requirePageSize(pageSize);
    const assets = (bookmark === '' ? undefined : this.#fresh(options)) ?? (await this.all(options));
    const first = assets.findIndex(({ ID }) => compareIds(ID, bookmark) > 0);
    const rest = first === -1 ? [] : assets.slice(first);
    const page = rest.slice(0, size);
    return { assets: page, bookmark: rest.length > size ? (page.at(-1)?.ID ?? '') : '' };
  }

  #fresh(options: FabricCallOptions): readonly Asset[] | undefined {
    const { assets, caller, until } = this.#cached;
    return caller === options.caller && Date.now() < until ? assets : undefined;
  }

  /** Drops the cached list after a write. */
  forget(): void {
    this.#cached = NO_LIST;
  }
}

/**
 * Decodes a list of assets, without records that are no assets.
 * @throws a refusal of the contract when the payload is not a list: another chaincode is installed
 */
async function readAssets(bytes: Uint8Array): Promise<readonly Asset[]> {
  const assets: Asset[] = [];
  for (const [position, record] of readList(bytes).entries()) {
    if (position % RECORDS_IN_A_TURN === RECORDS_IN_A_TURN - 1) await nextTurn();
    const asset = assetOf(unwrapped(record));
    if (asset !== undefined) assets.push(asset);
  }
  return assets;
}

function readList(bytes: Uint8Array): readonly unknown[] {
  let list: unknown;
  try {
    // Go encodes an empty list as null.
    list = bytes.length === 0 ? [] : (parseLossless(Buffer.from(bytes).toString()) ?? []);
  } catch (cause) {
    throw new LedgerError('LEDGER.REFUSED', 'GetAllAssets did not return JSON', { cause });
  }
  if (Array.isArray(list)) return list;
  throw new LedgerError('LEDGER.REFUSED', 'GetAllAssets did not return a list');
}

/** Some editions (chaincode-external in Go, older JavaScript) list `{Key, Record}` instead of the assets themselves. */
function unwrapped(record: unknown): unknown {
  return typeof record === 'object' && record !== null && 'Record' in record ? record.Record : record;
}

function requirePageSize(text: string): number {
  const size = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= MAX_PAGE_SIZE) return size;
  throw new LedgerError('LEDGER.INVALID_ARGUMENT', `pageSize must be a whole number from 1 to ${MAX_PAGE_SIZE}`);
}

/** Compares in byte order of UTF-8. */
function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
