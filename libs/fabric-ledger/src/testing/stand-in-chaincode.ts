import { INITIAL_ASSETS, ASSET_CONTRACT } from '#asset-contract';
import { decideOn } from '#contract-kit';
import type { StandInProposal } from './stand-in-proposal.js';
import type { SimulatedState } from './simulated-state.js';

/** A chaincode; the message of an error that it throws is the text of its refusal. */
export type StandInChaincode = (
  name: string,
  args: readonly string[],
  state: SimulatedState,
  proposal: StandInProposal,
) => Uint8Array | Promise<Uint8Array>;

/** A chaincode that answers at once. */
type ImmediateChaincode = (...call: Parameters<StandInChaincode>) => Uint8Array;

const utf8 = new TextEncoder();

/** Our contract. */
export const ourChaincode: ImmediateChaincode = (name, args, state) => {
  const { writes, payload, event } = decideOn(state, ASSET_CONTRACT.prepare(name, args));
  for (const write of writes) state.write(write);
  state.event = event;
  return payload;
};

type SampleFunction = (args: readonly string[], state: SimulatedState) => string | undefined;

/**
 * The behaviour of fabric-samples' asset-transfer-basic in TypeScript: numbers under capitalized keys, refusals as plain
 * texts, empty or irregular responses, an InitLedger that overwrites, no pages.
 */
export const sampleChaincode: ImmediateChaincode = (name, args, state) => {
  const run = SAMPLE_FUNCTIONS[name];
  if (run === undefined) throw new Error(`You've asked to invoke a function that does not exist: ${name}`);
  return utf8.encode(run(args, state) ?? '');
};

const EMPTY_BUFFER = '{"type":"Buffer","data":[]}';

const SAMPLE_FUNCTIONS: Readonly<Record<string, SampleFunction>> = {
  InitLedger: (_, state) => {
    for (const { ID, color, size, owner, appraisedValue } of INITIAL_ASSETS) {
      state.write({ key: ID, value: record([ID, color, size, owner, appraisedValue], { docType: 'asset' }) });
    }
    return undefined;
  },
  CreateAsset: (args, state) => {
    if (exists(args, state)) throw new Error(`The asset ${args[0]} already exists`);
    state.write({ key: args[0]!, value: record(args) });
    return undefined;
  },
  ReadAsset: (args, state) => Buffer.from(stored(args, state)).toString(),
  UpdateAsset: (args, state) => {
    stored(args, state);
    state.write({ key: args[0]!, value: record(args) });
    return EMPTY_BUFFER;
  },
  DeleteAsset: (args, state) => {
    stored(args, state);
    state.write({ key: args[0]!, value: undefined });
    return EMPTY_BUFFER;
  },
  AssetExists: (args, state) => String(exists(args, state)),
  TransferAsset: (args, state) => {
    const asset = JSON.parse(Buffer.from(stored(args, state)).toString()) as { Owner: string };
    state.write({ key: args[0]!, value: utf8.encode(JSON.stringify({ ...asset, Owner: args[1] })) });
    return asset.Owner;
  },
  GetAllAssets: (_, state) => {
    const entries = state.range({ start: '', end: '', limit: Number.MAX_SAFE_INTEGER });
    return `[${entries.map(({ value }) => Buffer.from(value).toString()).join(',')}]`;
  },
};

/** The same in Go: integers have all their digits, and nothing else is a number. */
export const goSampleChaincode: ImmediateChaincode = (name, args, state, proposal) => {
  const isWrite = name === 'CreateAsset' || name === 'UpdateAsset';
  if (!isWrite || exists(args, state) !== (name === 'UpdateAsset')) return sampleChaincode(name, args, state, proposal);
  const [ID = '', Color, Size = '', Owner, AppraisedValue = ''] = args;
  for (const value of [Size, AppraisedValue]) if (!/^-?\d+$/.test(value)) throw new Error('invalid syntax');
  const text = [ID, Color, Owner].map((value) => JSON.stringify(value));
  const fields = `"AppraisedValue":${AppraisedValue},"Color":${text[1]},"ID":${text[0]},"Owner":${text[2]},"Size":${Size}`;
  state.write({ key: ID, value: utf8.encode(`{${fields}}`) });
  return new Uint8Array();
};

function exists([id]: readonly string[], state: SimulatedState): boolean {
  return state.value(id!) !== undefined;
}

function stored([id]: readonly string[], state: SimulatedState): Uint8Array {
  const value = state.value(id!);
  if (value === undefined) throw new Error(`The asset ${id} does not exist`);
  return value;
}

function record([ID, Color, size, Owner, value]: readonly string[], more: object = {}): Uint8Array {
  const [Size, AppraisedValue] = [Number(size), Number(value)];
  if (Number.isNaN(Size) || Number.isNaN(AppraisedValue))
    throw new Error('fromBuffer could not convert data to number');
  return utf8.encode(JSON.stringify({ AppraisedValue, Color, ID, Owner, Size, ...more }));
}
