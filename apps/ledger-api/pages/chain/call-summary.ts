import type { CreatedAssets } from '../api/client.ts';

/** A transaction in plain words. */
export interface CallSummary {
  /** Such as `Transferred`; `Called` for functions of other contracts. */
  readonly verb: string;
  readonly asset?: string;
  readonly newOwner?: string;
  /** The assets of a call that created several. */
  readonly assets?: CreatedAssets;
  /** The function, if the verb does not describe it. */
  readonly function?: string;
}

/** The call of a transaction: all of its arguments, or the first one as in lists. */
export interface Call {
  readonly function: string;
  readonly arguments?: readonly string[];
  readonly firstArgument?: string;
  /** What it created, as in lists. */
  readonly createdAssets?: CreatedAssets;
}

/** Calls that are no call of one asset. */
const WHOLE: ReadonlyMap<string, string> = new Map([
  ['', 'Configured the channel'],
  ['InitLedger', 'Created the initial assets'],
]);
const VERBS: ReadonlyMap<string, string> = new Map([
  ['CreateAsset', 'Created'],
  ['UpdateAsset', 'Updated'],
  ['UpdateAssetIfMatch', 'Updated'],
  ['TransferAsset', 'Transferred'],
  ['TransferAssetIfMatch', 'Transferred'],
  ['DeleteAsset', 'Deleted'],
]);

/**
 * Summarizes a call of the asset contract; for any other chaincode, names the function.
 * @param written - the keys that the transaction wrote, if they are known
 */
export function summarizeCall(call: Call, written: readonly string[] = []): CallSummary {
  const { function: name } = call;
  const [asset = '', second = ''] = argumentsOf(call);
  const whole = WHOLE.get(name);
  if (whole !== undefined) return { verb: whole };
  if (name === 'CreateAssets') return summarizeUpload(call, written);
  const verb = VERBS.get(name);
  if (verb === undefined) return { verb: 'Called', function: name };
  return {
    verb,
    ...(asset !== '' && { asset }),
    ...(verb === 'Transferred' && second !== '' && { newOwner: second }),
  };
}

function summarizeUpload(call: Call, written: readonly string[]): CallSummary {
  const [argument = ''] = argumentsOf(call);
  const assets = call.createdAssets ?? createdAssets(argument, written);
  return assets === undefined ? { verb: 'Created many assets' } : { verb: 'Created', assets };
}

function argumentsOf({ firstArgument = '', arguments: args = [firstArgument] }: Call): readonly string[] {
  return args;
}

/** Returns the assets that CreateAssets created, in the order of its argument rather than that of the keys. */
function createdAssets(argument: string, written: readonly string[]): CreatedAssets | undefined {
  const created = new Set(written);
  const given = idsOf(argument).filter((id) => created.has(id));
  const ids = given.length === 0 ? written : [...new Set(given)];
  const [first, last] = [ids[0], ids.at(-1)];
  return first === undefined || last === undefined ? undefined : { count: written.length, first, last };
}

function idsOf(argument: string): readonly string[] {
  try {
    const assets = JSON.parse(argument) as unknown;
    if (!Array.isArray(assets)) return [];
    return assets.map((asset: unknown) => String((asset as { readonly ID?: unknown } | null)?.ID));
  } catch {
    return [];
  }
}
