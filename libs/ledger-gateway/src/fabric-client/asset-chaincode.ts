import { isUtf8 } from 'node:buffer';
import { readPage, type Asset } from '#asset-contract';
import type { AssetChunk } from '../chain-pages/asset-search.js';
import { isLedgerError, isRefusal } from '../errors/ledger.errors.js';
import type { LedgerCall, SubmitResult } from '../ports/ledger.port.js';
import type { FabricCallOptions } from './fabric-transport.js';
import { requireAsset, type ChaincodeCalls } from './chaincode-calls.js';
import { SampleChaincode } from './sample-chaincode.js';

/** Assets behind a key, by the contract's function for pages. */
export async function assetsBehind(
  evaluate: (call: LedgerCall) => Promise<Uint8Array>,
  after: string,
  limit: number,
): Promise<AssetChunk> {
  const page = await evaluate({ function: 'GetAssetsPage', arguments: [String(limit), after] });
  const { array, bookmark } = readPage(page, isUtf8);
  const assets = JSON.parse(Buffer.from(array).toString()) as Asset[];
  return { assets: assets.map((asset) => ({ key: asset.ID, asset })), bookmark };
}

/** For how long it is taken as known which chaincode is there: it may be upgraded to the other. */
const KNOWN_FOR_MS = 60_000;

/**
 * Gives the semantics of our contract, whichever chaincode is there: ours, or fabric-samples' asset-transfer-basic.
 * The samples' have no function for pages, which tells them apart.
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
    // Reading one asset is the same in both, but for its form; no need to know whose it is.
    if (call.function === 'ReadAsset') return requireAsset(await this.#ours.evaluate(call, options));
    return (await this.#installed(options)).evaluate(call, options);
  }

  #installed(options: FabricCallOptions): Promise<ChaincodeCalls> {
    if (this.#known !== undefined && Date.now() < this.#known.until) return this.#known.chaincode;
    const chaincode = this.#probe(options);
    const known = { chaincode, until: Date.now() + KNOWN_FOR_MS };
    this.#known = known;
    chaincode.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return chaincode;
  }

  /** The answer is the same for all, whoever asks first: the service asks. */
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
