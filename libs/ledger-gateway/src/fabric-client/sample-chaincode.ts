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
 * fabric-samples' asset-transfer-basic with the semantics of our contract. It has no pages, stores numbers under
 * capitalised keys, its InitLedger overwrites, and its answers to writes say nothing about the asset. This file knows
 * its ways; what its texts mean stands in peer-texts.ts.
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
        return this.#transfer(call, undefined, options);
      case 'UpdateAssetIfMatch':
        return this.#write(...unconditional(call), options);
      case 'TransferAssetIfMatch':
        return this.#transfer(...unconditional(call), options);
      case 'InitLedger':
        return this.#init(withoutKey(options));
      default:
        return this.#raw.submit(call, options);
    }
  }

  /** The chaincode answers nothing; what it stored is what it was given, since numbers that it would alter are refused. */
  async #write(
    call: LedgerCall,
    condition: AssetCondition | undefined,
    options: FabricCallOptions,
  ): Promise<SubmitResult> {
    const [ID = '', color = '', size = '', owner = '', appraisedValue = ''] = call.arguments;
    requireLossless('size', size);
    requireLossless('appraisedValue', appraisedValue);
    const submitted = await this.#raw.submit(call, options, { condition });
    return { ...submitted, result: encodeAsset({ ID, appraisedValue, color, owner, size }) };
  }

  /**
   * The chaincode answers the old owner, so the asset is read after the commit. With a key it is what the transaction wrote:
   * each repeat has the same answer, whatever others wrote since.
   */
  async #transfer(
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

  /** The chaincode's InitLedger overwrites, so it runs only where none of its assets is; else those missing are created. */
  async #init(options: FabricCallOptions): Promise<SubmitResult> {
    const isThere = await Promise.all(INITIAL_ASSETS.map(({ ID }) => this.#exists(ID, options)));
    const missing = INITIAL_ASSETS.filter((_, index) => isThere[index] === false);
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

  /** Gives nothing when somebody else was faster. */
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

  /** Our contract's InitLedger is recorded even when it finds nothing to write. */
  #recordRead(options: FabricCallOptions): Promise<SubmitResult> {
    return this.#raw.submit({ function: 'AssetExists', arguments: [INITIAL_ASSETS[0]?.ID ?? ''] }, options);
  }
}

/** Several transactions cannot have one id; making what is missing may be repeated without a key. */
function withoutKey({ caller, signal, deadline }: FabricCallOptions): FabricCallOptions {
  return {
    ...(caller !== undefined && { caller }),
    ...(signal && { signal }),
    ...(deadline !== undefined && { deadline }),
  };
}

/** The call that does the same whatever is stored, and what has to be stored: the samples have no function that compares. */
function unconditional({ function: name, arguments: args }: LedgerCall): readonly [LedgerCall, AssetCondition] {
  const [id = '', digests = ''] = [args[0], args.at(-1)];
  return [
    { function: name.replace(/IfMatch$/, ''), arguments: args.slice(0, -1) },
    { id, digests },
  ];
}

/**
 * The samples turn these fields into numbers by JavaScript's or Go's rules. What they would take and alter (0x10, 1e3,
 * 007, more than 2^53, Infinity) is refused here, and what is no number, which they refuse without naming the field.
 */
function requireLossless(name: string, value: string): void {
  const number = Number(value);
  if (Number.isFinite(number) && String(number) === value) return;
  const reason = Number.isNaN(number)
    ? `it keeps numbers there, and "${value}" is none`
    : `it would keep "${value}" as ${JSON.stringify(number)}`;
  throw new LedgerError('LEDGER.INVALID_ARGUMENT', `${name} must be a plain number for this chaincode: ${reason}`);
}

function encodeJson(value: unknown): Uint8Array {
  return utf8.encode(JSON.stringify(value));
}

/** So many records are read in one turn of the event loop: a whole list in one would hold up everybody else. */
const RECORDS_IN_A_TURN = 500;

/**
 * Records that are no assets are left out.
 * @throws a refusal of the contract when the answer is no list: the chaincode is another one
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
    // A list without elements is null to Go.
    list = bytes.length === 0 ? [] : (parseLossless(text.decode(bytes)) ?? []);
  } catch (cause) {
    throw new LedgerError('LEDGER.REFUSED', 'GetAllAssets answers with what is no JSON', { cause });
  }
  if (Array.isArray(list)) return list;
  throw new LedgerError('LEDGER.REFUSED', 'GetAllAssets answers with what is no list');
}

/** Some editions (chaincode-external in Go, older JavaScript) list `{Key, Record}` instead of the assets themselves. */
function unwrapped(record: unknown): unknown {
  return typeof record === 'object' && record !== null && 'Record' in record ? record.Record : record;
}

/** One page of assets; the bookmark gives the next one, and is empty when there is none. */
export interface AssetPage {
  readonly assets: readonly Asset[];
  readonly bookmark: string;
}

/** For how long the pages behind the first are cut from the same listing. */
const KEPT_FOR_MS = 5000;

/** Pages cut from a chaincode's whole list, in byte order of the ids, without asking for the whole list for each page. */
export class AssetListing {
  readonly #read: (options: FabricCallOptions) => Promise<readonly Asset[]>;
  /** One caller's list: another may not be allowed to read it. */
  #kept: { readonly assets: readonly Asset[]; readonly caller: string | undefined; readonly until: number } | undefined;

  constructor(read: (options: FabricCallOptions) => Promise<readonly Asset[]>) {
    this.#read = read;
  }

  async all(options: FabricCallOptions): Promise<readonly Asset[]> {
    const assets = await this.#read(options);
    // LevelDB keeps byte order; CouchDB has another.
    const isInOrder = assets.every(({ ID }, index) => index === 0 || compareIds(assets[index - 1]?.ID ?? '', ID) <= 0);
    return isInOrder ? assets : assets.toSorted((a, b) => compareIds(a.ID, b.ID));
  }

  /** @throws a refusal of the contract for a page size that is no number from 1 to 1000 */
  async page([pageSize = '', bookmark = '']: readonly string[], options: FabricCallOptions): Promise<AssetPage> {
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

  async #list(options: FabricCallOptions): Promise<readonly Asset[]> {
    const assets = await this.all(options);
    this.#kept = { assets, caller: options.caller, until: Date.now() + KEPT_FOR_MS };
    return assets;
  }

  async #continue(options: FabricCallOptions): Promise<readonly Asset[]> {
    const kept = this.#kept;
    if (kept !== undefined && kept.caller === options.caller && Date.now() < kept.until) return kept.assets;
    return this.#list(options);
  }
}

function requirePageSize(text: string): number {
  const size = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= MAX_PAGE_SIZE) return size;
  throw new LedgerError('LEDGER.INVALID_ARGUMENT', `pageSize must be a whole number from 1 to ${MAX_PAGE_SIZE}`);
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
