import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  INITIAL_ASSETS,
  MAX_PAGE_SIZE,
  assetOf,
  encodeAsset,
  encodeList,
  encodePage,
  parseLossless,
  type Asset,
} from '#asset-contract';
import { LedgerError } from '../errors/ledger.errors.js';
import type { LedgerCall, SubmitResult } from '../ports/ledger.port.js';
import type { FabricCallOptions } from './fabric-transport.js';
import { requireAsset, type AssetCondition, type ChaincodeCalls } from './chaincode-calls.js';
import type { ReadResult } from './keyed-submit.js';

const utf8 = new TextEncoder();
const text = new TextDecoder();

/**
 * Adapts fabric-samples' asset-transfer-basic to the semantics of our contract. It has no pages, stores numbers under
 * capitalized keys, its InitLedger overwrites assets, and writes do not return the asset. peer-texts.ts interprets its errors.
 */
export class SampleChaincode implements ChaincodeCalls {
  readonly #raw: ChaincodeCalls;
  readonly #listing: AssetListing;

  constructor(raw: ChaincodeCalls) {
    this.#raw = raw;
    this.#listing = new AssetListing((options) =>
      raw.evaluate({ function: 'GetAllAssets', arguments: [] }, options).then(readAssets),
    );
  }

  async evaluate(call: LedgerCall, options: FabricCallOptions): Promise<Uint8Array> {
    switch (call.function) {
      case 'GetAllAssets':
        return encodeList((await this.#listing.all(options)).map(encodeAsset));
      case 'GetAssetsPage': {
        const { assets, bookmark } = await this.#listing.page(call.arguments, options);
        return encodePage(assets.map(encodeAsset), bookmark);
      }
      default:
        return this.#raw.evaluate(call, options);
    }
  }

  async submit(call: LedgerCall, options: FabricCallOptions): Promise<SubmitResult> {
    try {
      return await this.#submit(call, options);
    } finally {
      this.#listing.forget();
    }
  }

  #submit(call: LedgerCall, options: FabricCallOptions): Promise<SubmitResult> {
    switch (call.function) {
      case 'CreateAsset':
      case 'UpdateAsset':
        return this.#write(call, undefined, options);
      case 'TransferAsset':
        return this.#submitAndRead(call, undefined, options);
      case 'UpdateAssetIfMatch':
        return this.#write(...unconditional(call), options);
      case 'TransferAssetIfMatch':
        return this.#submitAndRead(...unconditional(call), options);
      case 'InitLedger':
        return this.#init(withoutKey(options));
      default:
        return this.#raw.submit(call, options);
    }
  }

  /** The chaincode returns nothing. It stores what it was given, except for integers that it may round. */
  async #write(
    call: LedgerCall,
    condition: AssetCondition | undefined,
    options: FabricCallOptions,
  ): Promise<SubmitResult> {
    const [ID = '', color = '', size = '', owner = '', appraisedValue = ''] = call.arguments;
    requireNumber('size', size);
    requireNumber('appraisedValue', appraisedValue);
    if (!isExact(size) || !isExact(appraisedValue)) return this.#submitAndRead(call, condition, options);
    const submitted = await this.#raw.submit(call, options, { condition });
    return { ...submitted, result: encodeAsset({ ID, appraisedValue, color, owner, size }) };
  }

  /**
   * Submits a write whose result the chaincode does not return, and reads the asset after the commit. With a key the result is
   * what the transaction wrote: each repeat has the same one, whatever was written since.
   */
  async #submitAndRead(
    call: LedgerCall,
    condition: AssetCondition | undefined,
    options: FabricCallOptions,
  ): Promise<SubmitResult> {
    const [id = ''] = call.arguments;
    if (options.idempotency !== undefined) {
      const readResult: ReadResult = ({ written }) => requireAsset(written(id) ?? new Uint8Array());
      return this.#raw.submit(call, options, { readResult, condition });
    }
    const submitted = await this.#raw.submit(call, options, { condition });
    try {
      const stored = await this.#raw.evaluate({ function: 'ReadAsset', arguments: [id] }, options);
      return { ...submitted, result: requireAsset(stored) };
    } catch (cause) {
      const { transactionId } = submitted;
      throw new LedgerError(
        'LEDGER.OUTCOME_UNKNOWN',
        `Transaction ${transactionId} is committed, but the asset could not be read back: read it again.`,
        { transactionId, cause },
      );
    }
  }

  /** Runs InitLedger, which overwrites, only if none of its assets exists; otherwise creates the missing ones. */
  async #init(options: FabricCallOptions): Promise<SubmitResult> {
    const exists = await Promise.all(INITIAL_ASSETS.map(({ ID }) => this.#exists(ID, options)));
    const missing = INITIAL_ASSETS.filter((_, index) => exists[index] === false);
    if (missing.length === INITIAL_ASSETS.length) {
      const submitted = await this.#raw.submit({ function: 'InitLedger', arguments: [] }, options);
      return { ...submitted, result: encodeJson(missing.map(({ ID }) => ID)) };
    }
    const created = (await Promise.all(missing.map((asset) => this.#createMissing(asset, options)))).flat();
    const last = created.at(-1)?.submitted ?? (await this.#recordRead(options));
    return {
      ...last,
      transactionIds: created.map(({ submitted }) => submitted.transactionId),
      result: encodeJson(created.map(({ ID }) => ID)),
    };
  }

  async #exists(id: string, options: FabricCallOptions): Promise<boolean> {
    return text.decode(await this.#raw.evaluate({ function: 'AssetExists', arguments: [id] }, options)) === 'true';
  }

  /** Returns an empty list when the asset was created concurrently. */
  async #createMissing(
    asset: Asset,
    options: FabricCallOptions,
  ): Promise<readonly { readonly ID: string; readonly submitted: SubmitResult }[]> {
    const { ID, color, size, owner, appraisedValue } = asset;
    try {
      const call = { function: 'CreateAsset', arguments: [ID, color, size, owner, appraisedValue] };
      return [{ ID, submitted: await this.#raw.submit(call, options) }];
    } catch (error) {
      if (error instanceof LedgerError && error.code === 'LEDGER.ASSET_EXISTS') return [];
      throw error;
    }
  }

  /** Submits a read: our contract's InitLedger is recorded even if it writes nothing. */
  #recordRead(options: FabricCallOptions): Promise<SubmitResult> {
    return this.#raw.submit({ function: 'AssetExists', arguments: [INITIAL_ASSETS[0]?.ID ?? ''] }, options);
  }
}

/** Removes the key: several transactions cannot share its id, and creating missing assets may be repeated without one. */
function withoutKey({ caller, signal, deadline }: FabricCallOptions): FabricCallOptions {
  return {
    ...(caller !== undefined && { caller }),
    ...(signal && { signal }),
    ...(deadline !== undefined && { deadline }),
  };
}

/** Splits a conditional call into the write and its condition: the samples have no function that compares. */
function unconditional({ function: name, arguments: args }: LedgerCall): readonly [LedgerCall, AssetCondition] {
  const [id = '', digests = ''] = [args[0], args.at(-1)];
  return [
    { function: name.replace(/IfMatch$/, ''), arguments: args.slice(0, -1) },
    { id, digests },
  ];
}

/** Go keeps all digits of an integer; JavaScript rounds it above 2^53. */
const INTEGER = /^-?[1-9]\d*$/;

/**
 * Checks a field that the samples convert to a number by the rules of JavaScript or Go. Texts that they would accept and alter
 * (0x10, 1e3, 007, Infinity) are refused here, as are texts that are no number, which they refuse without naming the field.
 */
function requireNumber(name: string, value: string): void {
  if (isExact(value) || INTEGER.test(value)) return;
  const number = Number(value);
  const reason = Number.isNaN(number)
    ? `it stores numbers there, and "${value}" is not a number`
    : `it would store "${value}" as ${JSON.stringify(number)}`;
  throw new LedgerError('LEDGER.INVALID_ARGUMENT', `${name} must be a plain number for this chaincode: ${reason}`);
}

/** Returns whether a text is a number that every edition of the samples stores unchanged. */
function isExact(value: string): boolean {
  const number = Number(value);
  return Number.isFinite(number) && String(number) === value && (Number.isSafeInteger(number) || !INTEGER.test(value));
}

function encodeJson(value: unknown): Uint8Array {
  return utf8.encode(JSON.stringify(value));
}

/** Records decoded in one turn of the event loop: a whole list in one would delay other requests. */
const RECORDS_IN_A_TURN = 500;

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
    list = bytes.length === 0 ? [] : (parseLossless(text.decode(bytes)) ?? []);
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

/** A page of assets; the bookmark requests the next one and is empty after the last one. */
export interface AssetPage {
  readonly assets: readonly Asset[];
  readonly bookmark: string;
}

/** How long the pages after the first one come from the same cached list. */
const CACHE_MS = 5000;

/** Pages of a chaincode's whole list, in byte order of the ids. The list is cached between the pages. */
export class AssetListing {
  readonly #read: (options: FabricCallOptions) => Promise<readonly Asset[]>;
  /** The list of one caller: another one may not be allowed to read it. */
  #cached:
    { readonly assets: readonly Asset[]; readonly caller: string | undefined; readonly until: number } | undefined;

  constructor(read: (options: FabricCallOptions) => Promise<readonly Asset[]>) {
    this.#read = read;
  }

  async all(options: FabricCallOptions): Promise<readonly Asset[]> {
    const assets = await this.#read(options);
    // LevelDB returns byte order, CouchDB does not.
    const isInOrder = assets.every(({ ID }, index) => index === 0 || compareIds(assets[index - 1]?.ID ?? '', ID) <= 0);
    return isInOrder ? assets : assets.toSorted((a, b) => compareIds(a.ID, b.ID));
  }

  /** @throws a refusal of the contract for a page size that is no number from 1 to 1000 */
  async page([pageSize = '', bookmark = '']: readonly string[], options: FabricCallOptions): Promise<AssetPage> {
    const size = requirePageSize(pageSize);
    const assets = bookmark === '' ? await this.#list(options) : await this.#continue(options);
    const start = firstAfter(assets, bookmark);
    const page = assets.slice(start, start + size);
    return { assets: page, bookmark: start + size < assets.length ? (page.at(-1)?.ID ?? '') : '' };
  }

  /** Drops the cached list after a write. */
  forget(): void {
    this.#cached = undefined;
  }

  async #list(options: FabricCallOptions): Promise<readonly Asset[]> {
    const assets = await this.all(options);
    this.#cached = { assets, caller: options.caller, until: Date.now() + CACHE_MS };
    return assets;
  }

  async #continue(options: FabricCallOptions): Promise<readonly Asset[]> {
    const cached = this.#cached;
    if (cached !== undefined && cached.caller === options.caller && Date.now() < cached.until) return cached.assets;
    return this.#list(options);
  }
}

function requirePageSize(text: string): number {
  const size = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= MAX_PAGE_SIZE) return size;
  throw new LedgerError('LEDGER.INVALID_ARGUMENT', `pageSize must be a whole number from 1 to ${MAX_PAGE_SIZE}`);
}

/** Returns the position of the first id after the bookmark, by binary search. */
function firstAfter(assets: readonly Asset[], bookmark: string): number {
  let low = 0;
  let high = assets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIds(assets[middle]?.ID ?? '', bookmark) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares in byte order of UTF-8, which is the order of code points. */
function compareIds(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Surrogates encode code points above those of a single unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
