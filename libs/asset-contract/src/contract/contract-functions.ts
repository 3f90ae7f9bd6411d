import {
  assetExists,
  createAsset,
  deleteAsset,
  initLedger,
  readStoredAsset,
  transferAsset,
  updateAsset,
} from './asset-functions.js';
import { getAllAssets, getAssetHistory, getAssetsPage } from './list-functions.js';
import type { MaybePromise, TransactionContext, WorldState } from './world-state.js';

/** One function of the contract. */
export interface ContractFunction {
  readonly name: string;
  /** Names of the arguments in their order; their number is what a call must bring. */
  readonly parameters: readonly string[];
  /** Whether it only reads: such a call is evaluated and not recorded. */
  readonly isQuery: boolean;
}

/** A function with what it does. */
interface RunnableFunction extends ContractFunction {
  run(state: WorldState, args: readonly string[], context: TransactionContext): MaybePromise<Uint8Array>;
}

const FIELDS = ['id', 'color', 'size', 'owner', 'appraisedValue'] as const;

/** Ties a function to its parameters; {@link invoke} has counted the arguments before it runs. */
function define<P extends readonly string[]>(
  name: string,
  isQuery: boolean,
  parameters: P,
  run: (
    state: WorldState,
    args: { readonly [K in keyof P]: string },
    context: TransactionContext,
  ) => MaybePromise<Uint8Array>,
): RunnableFunction {
  return { name, isQuery, parameters, run };
}

const FUNCTIONS: readonly RunnableFunction[] = [
  define('InitLedger', false, [] as const, initLedger),
  define('CreateAsset', false, FIELDS, createAsset),
  define('ReadAsset', true, ['id'] as const, readStoredAsset),
  define('UpdateAsset', false, FIELDS, updateAsset),
  define('TransferAsset', false, ['id', 'newOwner'] as const, transferAsset),
  define('DeleteAsset', false, ['id'] as const, deleteAsset),
  define('AssetExists', true, ['id'] as const, assetExists),
  define('GetAllAssets', true, [] as const, getAllAssets),
  define('GetAssetHistory', true, ['id'] as const, getAssetHistory),
  define('GetAssetsPage', true, ['pageSize', 'bookmark'] as const, getAssetsPage),
];

/** The functions by name, in the order and with the arguments of fabric-samples' asset-transfer-basic, then our own. */
export const CONTRACT_FUNCTIONS: ReadonlyMap<string, ContractFunction> = new Map(FUNCTIONS.map((it) => [it.name, it]));

export const RUNNABLE_FUNCTIONS: ReadonlyMap<string, RunnableFunction> = new Map(FUNCTIONS.map((it) => [it.name, it]));
