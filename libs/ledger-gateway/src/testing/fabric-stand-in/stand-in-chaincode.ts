import { INITIAL_ASSETS, invoke, type TransactionContext, type WorldState } from '#asset-contract';

/** A chaincode as a peer runs it: what it throws is the text of its refusal. */
export type StandInChaincode = (
  name: string,
  args: readonly string[],
  state: WorldState,
  context: TransactionContext,
) => Promise<Uint8Array>;

const utf8 = new TextEncoder();

/** Our contract. */
export const ourChaincode: StandInChaincode = invoke;

type SampleFunction = (args: readonly string[], state: WorldState) => Promise<string | undefined>;

/**
 * What clients see of fabric-samples' asset-transfer-basic in TypeScript: numbers under capitalised keys, refusals as
 * bare texts, empty or odd answers, an InitLedger that overwrites, no pages.
 */
export const sampleChaincode: StandInChaincode = async (name, args, state) => {
  const run = SAMPLE_FUNCTIONS[name];
  if (run === undefined) throw new Error(`You've asked to invoke a function that does not exist: ${name}`);
  return utf8.encode((await run(args, state)) ?? '');
};

const EMPTY_BUFFER = '{"type":"Buffer","data":[]}';

const SAMPLE_FUNCTIONS: Readonly<Record<string, SampleFunction>> = {
  InitLedger: async (_, state) => {
    for (const { ID, color, size, owner, appraisedValue } of INITIAL_ASSETS) {
      await state.putState(ID, record([ID, color, size, owner, appraisedValue], { docType: 'asset' }));
    }
    return undefined;
  },
  CreateAsset: async (args, state) => {
    if (await exists(args, state)) throw new Error(`The asset ${args[0]} already exists`);
    await state.putState(args[0]!, record(args));
    return undefined;
  },
  ReadAsset: async (args, state) => Buffer.from(await stored(args, state)).toString(),
  UpdateAsset: async (args, state) => {
    await stored(args, state);
    await state.putState(args[0]!, record(args));
    return EMPTY_BUFFER;
  },
  DeleteAsset: async (args, state) => {
    await stored(args, state);
    await state.deleteState(args[0]!);
    return EMPTY_BUFFER;
  },
  AssetExists: async (args, state) => String(await exists(args, state)),
  TransferAsset: async (args, state) => {
    const asset = JSON.parse(Buffer.from(await stored(args, state)).toString()) as { Owner: string };
    await state.putState(args[0]!, utf8.encode(JSON.stringify({ ...asset, Owner: args[1] })));
    return asset.Owner;
  },
  GetAllAssets: async (_, state) => {
    const entries = await state.getStateRange('', '', Number.MAX_SAFE_INTEGER);
    return `[${entries.map(({ value }) => Buffer.from(value).toString()).join(',')}]`;
  },
};

async function exists([id]: readonly string[], state: WorldState): Promise<boolean> {
  return (await state.getState(id!)) !== undefined;
}

async function stored([id]: readonly string[], state: WorldState): Promise<Uint8Array> {
  const value = await state.getState(id!);
  if (value === undefined) throw new Error(`The asset ${id} does not exist`);
  return value;
}

function record([ID, Color, size, Owner, value]: readonly string[], more: object = {}): Uint8Array {
  const [Size, AppraisedValue] = [Number(size), Number(value)];
  if (Number.isNaN(Size) || Number.isNaN(AppraisedValue))
    throw new Error('fromBuffer could not convert data to number');
  return utf8.encode(JSON.stringify({ AppraisedValue, Color, ID, Owner, Size, ...more }));
}
