import { isUtf8 } from 'node:buffer';
import { readPage, type Asset } from '#asset-contract';
import type { AssetChunk } from '../chain-pages/asset-search.js';
import { isLedgerError, isRefusal } from '../errors/ledger.errors.js';
import type { LedgerCall, SubmitResult } from '../ports/ledger.port.js';
import type { FabricCallOptions } from './fabric-transport.js';
import { requireAsset, type ChaincodeCalls } from './chaincode-calls.js';
import { SampleChaincode } from './sample-chaincode.js';

/** Reads the assets after a key with the contract's function for pages. */
export async function assetsAfter(
  evaluate: (call: LedgerCall) => Promise<Uint8Array>,
  after: string,
  limit: number,
): Promise<AssetChunk> {
  const page = await evaluate({ function: 'GetAssetsPage', arguments: [String(limit), after] });
  const { array, bookmark } = readPage(page, isUtf8);
  const assets = JSON.parse(Buffer.from(array).toString()) as Asset[];
  return { assets: assets.map((asset) => ({ key: asset.ID, asset })), bookmark };
}

/** How long the detected edition of the chaincode is cached: it may be upgraded to the other one. */
const CACHE_MS = 60_000;

/**
 * Provides the semantics of our contract on either chaincode: ours, or fabric-samples' asset-transfer-basic, which is
 * recognized by its lack of a function for pages.
 */
export class AssetChaincode implements ChaincodeCalls {
  readonly #ours: ChaincodeCalls;
  readonly #sample: SampleChaincode;
  #known: { readonly chaincode: Promise<ChaincodeCalls>; readonly until: number } | undefined;

  constructor(raw: ChaincodeCalls) {
    this.#ours = raw;
    this.#sample = new SampleChaincode(raw);
  }

  async submit(call: LedgerCall, options: FabricCallOptions): Promise<SubmitResult> {
    return (await this.#installed(options)).submit(call, options);
  }

  async evaluate(call: LedgerCall, options: FabricCallOptions): Promise<Uint8Array> {
    // Both read an asset in the same way, apart from its form.
    if (call.function === 'ReadAsset') return requireAsset(await this.#ours.evaluate(call, options));
    return (await this.#installed(options)).evaluate(call, options);
  }

  #installed(options: FabricCallOptions): Promise<ChaincodeCalls> {
    if (this.#known !== undefined && Date.now() < this.#known.until) return this.#known.chaincode;
    const chaincode = this.#probe(options);
    const known = { chaincode, until: Date.now() + CACHE_MS };
    this.#known = known;
    chaincode.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return chaincode;
  }

  /** Signs with the service's identity, because the result is cached for all callers. */
  async #probe({ signal, deadline }: FabricCallOptions): Promise<ChaincodeCalls> {
    const limits = { ...(signal && { signal }), ...(deadline !== undefined && { deadline }) };
    try {
      await this.#ours.evaluate({ function: 'GetAssetsPage', arguments: ['1', ''] }, limits);
    } catch (error) {
      if (isLedgerError(error, 'LEDGER.FUNCTION_UNKNOWN')) return this.#sample;
      if (!isRefusal(error)) throw error;
    }
    return this.#ours;
  }
}
