import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Asset,
  assetOf,
  encodeAsset,
  encodeList,
  encodePage,
  INITIAL_ASSETS,
  parseLossless,
  readPage,
} from '#asset-contract';
import { MAX_PAGE_SIZE } from '#contract-kit';
import type { AssetChunk } from '#chain-pages';
import { compareText } from '#fabric-codec/encode';
import { isLedgerError, isRefusal, type LedgerCall, LedgerError, type SubmitResult } from '#ledger-gateway';
import { textArguments } from '#ledger-gateway/driver';
import {
  requireAsset,
  type AssetCondition,
  type ChaincodeClient,
  type FabricCallOptions,
  type ReadResult,
} from './chaincode-client.js';

/** Reads the assets after a key with the contract's function for pages. */
export async function assetsAfter(
  evaluate: (call: LedgerCall) => Promise<Uint8Array>,
  after: string,
  limit: number,
): Promise<AssetChunk> {
  const page = await evaluate({ function: 'GetAssetsPage', arguments: [String(limit), after] });
  const { array, bookmark } = readPage(page);
  const assets = JSON.parse(Buffer.from(array).toString()) as Asset[];
  return { assets: assets.map((asset) => ({ key: asset.ID, asset })), bookmark };
}

/** How long the detected edition of the chaincode is cached: it may be upgraded to the other one. */
const CACHE_MS = 60_000;

/**
 * Provides the semantics of our contract on either chaincode: ours, or fabric-samples' asset-transfer-basic, which is
 * recognized by its lack of a function for pages. The latter stores numbers under capitalized keys, its InitLedger overwrites
 * assets, and writes do not return the asset. call-errors.ts interprets its errors.
 */
export class AssetChaincode implements ChaincodeClient {
  readonly #raw: ChaincodeClient;
  readonly #list: SampleList;
  #known: { readonly isSample: Promise<boolean>; readonly until: number } | undefined;

  constructor(raw: ChaincodeClient) {
    this.#raw = raw;
    this.#list = new SampleList((options) => raw.evaluate({ function: 'GetAllAssets', arguments: [] }, options));
  }

  async evaluate(call: LedgerCall, options: FabricCallOptions): Promise<Uint8Array> {
    // Both read an asset in the same way, apart from its form.
    if (call.function === 'ReadAsset') return requireAsset(await this.#raw.evaluate(call, options));
    if (!(await this.#isSample())) return this.#raw.evaluate(call, options);
    switch (call.function) {
      case 'GetAllAssets':
        return encodeList((await this.#list.all(options)).map(encodeAsset));
      case 'GetAssetsPage': {
        const { assets, bookmark } = await this.#list.page(textArguments(call), options);
        return encodePage(assets.map(encodeAsset), bookmark);
      }
      default:
        return this.#raw.evaluate(call, options);
    }
  }

  async submit(call: LedgerCall, options: FabricCallOptions): Promise<SubmitResult> {
    if (!(await this.#isSample())) return this.#raw.submit(call, options);
    try {
      return await this.#submit(call, options);
    } finally {
      this.#list.forget();
    }
  }

  #isSample(): Promise<boolean> {
    if (this.#known !== undefined && Date.now() < this.#known.until) return this.#known.isSample;
    const isSample = this.#probe();
    const known = { isSample, until: Date.now() + CACHE_MS };
    this.#known = known;
    isSample.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return isSample;
  }

  /** Signs with the service's identity, because the result is cached for all callers. */
  async #probe(): Promise<boolean> {
    try {
      await this.#raw.evaluate({ function: 'GetAssetsPage', arguments: ['1', ''] }, {});
      return false;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return isLedgerError(error, 'LEDGER.FUNCTION_UNKNOWN');
    }
  }

  #submit(original: LedgerCall, options: FabricCallOptions): Promise<SubmitResult> {
    const [call, condition] = unconditional(original);
    switch (call.function) {
      case 'CreateAsset':
      case 'UpdateAsset':
        return this.#write(call, condition, options);
      case 'TransferAsset':
        return this.#submitAndRead(call, condition, options);
      case 'InitLedger':
        // Without the key: several transactions cannot share its id, and creating missing assets may be repeated.
        return this.#init({ caller: options.caller });
      case 'CreateAssets':
        throw new LedgerError('LEDGER.FUNCTION_UNKNOWN', 'This chaincode creates one asset by a transaction.');
      default:
        return this.#raw.submit(original, options);
    }
  }

  /** The chaincode returns nothing. It stores its arguments, except for integers that it may round. */
  async #write(
    call: LedgerCall,
    condition: AssetCondition | undefined,
    options: FabricCallOptions,
  ): Promise<SubmitResult> {
    const [ID = '', color = '', size = '', owner = '', appraisedValue = ''] = textArguments(call);
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
    const [id = ''] = textArguments(call);
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
      const text = `Transaction ${transactionId} is committed, but the asset could not be read back: read it again.`;
      throw new LedgerError('LEDGER.OUTCOME_UNKNOWN', text, { transactionId, cause });
    }
  }

  /** Runs InitLedger, which overwrites, only if none of its assets exists; otherwise creates the missing ones. */
  async #init(options: FabricCallOptions): Promise<SubmitResult> {
    const exists = await Promise.all(INITIAL_ASSETS.map(({ ID }) => this.#exists(ID, options)));
    const missing = INITIAL_ASSETS.filter((_, index) => exists[index] === false);
    if (missing.length === INITIAL_ASSETS.length) {
      const submitted = await this.#raw.submit({ function: 'InitLedger', arguments: [] }, options);
      return { ...submitted, result: encodeIds(missing) };
    }
    const created = (await Promise.all(missing.map((asset) => this.#createMissing(asset, options)))).flat();
    // A read is submitted if nothing was created: our contract's InitLedger is recorded even if it writes nothing.
    const read = { function: 'AssetExists', arguments: [INITIAL_ASSETS[0]?.ID ?? ''] };
    const last = created.at(-1)?.submitted ?? (await this.#raw.submit(read, options));
    return {
      ...last,
      transactionIds: created.map(({ submitted }) => submitted.transactionId),
      result: encodeIds(created),
    };
  }

  async #exists(id: string, options: FabricCallOptions): Promise<boolean> {
    const result = await this.#raw.evaluate({ function: 'AssetExists', arguments: [id] }, options);
    return Buffer.from(result).toString() === 'true';
  }

  /** Returns an empty list when the asset was created concurrently. */
  async #createMissing(
    { ID, color, size, owner, appraisedValue }: Asset,
    options: FabricCallOptions,
  ): Promise<readonly { readonly ID: string; readonly submitted: SubmitResult }[]> {
    try {
      const call = { function: 'CreateAsset', arguments: [ID, color, size, owner, appraisedValue] };
      return [{ ID, submitted: await this.#raw.submit(call, options) }];
    } catch (error) {
      if (isLedgerError(error, 'LEDGER.ASSET_EXISTS')) return [];
      throw error;
    }
  }
}

function encodeIds(assets: readonly Pick<Asset, 'ID'>[]): Uint8Array {
  return Buffer.from(JSON.stringify(assets.map(({ ID }) => ID)));
}

/** Splits a conditional call into the write and its condition: the samples have no function that compares. */
function unconditional(call: LedgerCall): readonly [LedgerCall, AssetCondition | undefined] {
  const name = /^(UpdateAsset|TransferAsset)IfMatch$/.exec(call.function)?.[1];
  if (name === undefined) return [call, undefined];
  const args = textArguments(call);
  const [id = '', digests = ''] = [args[0], args.at(-1)];
  return [
    { function: name, arguments: args.slice(0, -1) },
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

/** How long the pages after the first one come from the same cached list. */
const LIST_CACHE_MS = 5000;
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
    const isInOrder = assets.every(({ ID }, index) => index === 0 || compareText(assets[index - 1]?.ID ?? '', ID) <= 0);
    const sorted = isInOrder ? assets : assets.toSorted((a, b) => compareText(a.ID, b.ID));
    this.#cached = { assets: sorted, caller: options.caller, until: Date.now() + LIST_CACHE_MS };
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
    const first = assets.findIndex(({ ID }) => compareText(ID, bookmark) > 0);
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
