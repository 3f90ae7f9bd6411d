import { join } from 'node:path';

/** A call of a sample's function. The argument CALLER is the id of the client on each side. */
export interface SampleCall {
  readonly way: 'evaluate' | 'submit';
  readonly function: string;
  readonly arguments: readonly string[];
}

/** A chaincode of fabric-samples, with a generator of calls. */
export interface Sample {
  readonly name: string;
  /** Relative to the checkout. */
  readonly folder: string;
  /** The program of a chaincode that is no Node package; it serves by CHAINCODE_ID and CHAINCODE_SERVER_ADDRESS. */
  readonly program?: string;
  readonly first: readonly SampleCall[];
  readonly next: (random: Random) => SampleCall;
}

/** Pseudo-random numbers that a seed determines (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a whole number below a limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
}

/** The functions of a contract, with the possible values of each argument. Some values are no valid arguments. */
type Functions = readonly (readonly [name: string, ...values: readonly (readonly string[])[]])[];

const IDS = ['asset1', 'asset2', 'car-3', 'ä ö', 'z\u0001', 'a"b', '', 'asset10'];
const COLORS = ['blue', 'red', 'grün'];
const OWNERS = ['Tomoko', 'Ana', 'Zoë "Z"', ''];
const NUMBERS = ['5', '0', '-1', '300', '12345678901', '1e3', 'many', ''];
const FIELDS = [IDS, COLORS, NUMBERS, OWNERS, NUMBERS] as const;

const BASIC: Functions = [
  ...(['CreateAsset', 'CreateAsset', 'CreateAsset', 'UpdateAsset'] as const).map((name) => [name, ...FIELDS] as const),
  ['ReadAsset', IDS],
  ['DeleteAsset', IDS],
  ['AssetExists', IDS],
  ['TransferAsset', IDS, OWNERS],
  ['GetAllAssets'],
  ['NoSuchFunction', IDS],
];

const QUERIES: Functions = [
  ['CreateAsset', ...FIELDS],
  ['CreateAsset', ...FIELDS],
  ['TransferAsset', IDS, OWNERS],
  ['TransferAssetByColor', COLORS, OWNERS],
  ['GetAssetsByRange', IDS, IDS],
  ['GetAssetsByRange', [''], ['']],
  ['GetAssetsByRangeWithPagination', IDS, [''], ['1', '3'], ['', 'asset2']],
  ['GetAssetHistory', IDS],
  ['DeleteAsset', IDS],
  ['AssetExists', IDS],
  ['QueryAssetsByOwner', OWNERS],
];

/** Without ReadAsset and DeleteAsset, which read an implicit private data collection: the embedded ledger refuses it. */
const EVENTS: Functions = [
  ['CreateAsset', ...FIELDS],
  ['CreateAsset', ...FIELDS],
  ['UpdateAsset', ...FIELDS],
  ['TransferAsset', IDS, OWNERS],
];

const CLIENTS = ['CALLER', 'alice', 'bob', ''];
const AMOUNTS = ['1', '10', '100000', '-5', 'x', '0'];
const ERC_20: Functions = [
  ...(['Mint', 'Burn'] as const).map((name) => [name, AMOUNTS] as const),
  ...(['Transfer', 'Transfer', 'Approve'] as const).map((name) => [name, CLIENTS, AMOUNTS] as const),
  ['TransferFrom', CLIENTS, CLIENTS, AMOUNTS],
  ['BalanceOf', CLIENTS],
  ['Allowance', CLIENTS, CLIENTS],
  ...(['TotalSupply', 'TokenName', 'ClientAccountBalance', 'ClientAccountID'] as const).map((name) => [name] as const),
  ['Initialize', ['again'], ['A'], ['2']],
];

const TOKENS = ['1', '2', '3', '4', 'x', ''];
const ERC_721: Functions = [
  ['MintWithTokenURI', TOKENS, ['https://example.com/1']],
  ['MintWithTokenURI', TOKENS, ['']],
  ['TransferFrom', CLIENTS, CLIENTS, TOKENS],
  ['Approve', CLIENTS, TOKENS],
  ['SetApprovalForAll', CLIENTS, ['true', 'false']],
  ['IsApprovedForAll', CLIENTS, CLIENTS],
  ...(['OwnerOf', 'GetApproved', 'TokenURI', 'Burn'] as const).map((name) => [name, TOKENS] as const),
  ['BalanceOf', CLIENTS],
  ...(['TotalSupply', 'Name', 'ClientAccountBalance'] as const).map((name) => [name] as const),
];

/** Calls a random function, one in twelve with an argument too few or too many. */
function from(functions: Functions): Sample['next'] {
  return (random) => {
    const [name, ...values] = random.of(functions);
    const args = values.map((each) => random.of(each));
    const fault = random.below(24);
    if (fault === 0) args.pop();
    if (fault === 1) args.push('more');
    return { way: random.below(3) === 0 ? 'evaluate' : 'submit', function: name, arguments: args };
  };
}

const submit = (name: string, ...args: readonly string[]): SampleCall => ({
  way: 'submit',
  function: name,
  arguments: args,
});
const INIT = [submit('InitLedger')];

export const SAMPLES: readonly Sample[] = [
  { name: 'basic-js', folder: 'asset-transfer-basic/chaincode-javascript', first: INIT, next: from(BASIC) },
  { name: 'basic-ts', folder: 'asset-transfer-basic/chaincode-typescript', first: INIT, next: from(BASIC) },
  { name: 'basic-shim22', folder: 'shim22', first: INIT, next: from(BASIC) },
  {
    ...{ name: 'basic-go', folder: 'asset-transfer-basic/chaincode-go', program: './basic-go' },
    ...{ first: INIT, next: from(BASIC) },
  },
  { name: 'queries', folder: 'asset-transfer-ledger-queries/chaincode-javascript', first: INIT, next: from(QUERIES) },
  { name: 'events', folder: 'asset-transfer-events/chaincode-javascript', first: [], next: from(EVENTS) },
  {
    ...{ name: 'erc20', folder: 'token-erc-20/chaincode-javascript' },
    ...{ first: [submit('Initialize', 'Token', 'TOK', '2'), submit('Mint', '5000')], next: from(ERC_20) },
  },
  {
    ...{ name: 'erc721', folder: 'token-erc-721/chaincode-javascript' },
    ...{ first: [submit('Initialize', 'Token', 'TOK')], next: from(ERC_721) },
  },
];

/** The folder of a sample in a checkout of fabric-samples, whose dependencies are installed. */
export function folderOf(checkout: string, { folder }: Sample): string {
  return join(checkout, folder);
}
