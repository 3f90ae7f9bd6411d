/** A transaction in plain words. */
export interface CallSummary {
  /** Such as `Transferred`; `Called` for functions of other contracts. */
  readonly verb: string;
  readonly asset?: string;
  readonly newOwner?: string;
  /** The function, if the verb does not describe it. */
  readonly function?: string;
}

/** The call of a transaction: all of its arguments, or the first one as in lists. */
export interface Call {
  readonly function: string;
  readonly arguments?: readonly string[];
  readonly firstArgument?: string;
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ['CreateAsset', 'Created'],
  ['UpdateAsset', 'Updated'],
  ['UpdateAssetIfMatch', 'Updated'],
  ['TransferAsset', 'Transferred'],
  ['TransferAssetIfMatch', 'Transferred'],
  ['DeleteAsset', 'Deleted'],
]);

/** Summarizes a call of the asset contract; for any other chaincode, names the function. */
export function summarizeCall(call: Call): CallSummary {
  const { function: name } = call;
  const [asset = '', second = ''] = argumentsOf(call);
  if (name === '') return { verb: 'Configured the channel' };
  if (name === 'InitLedger') return { verb: 'Created the initial assets' };
  if (name === 'CreateAssets') return { verb: 'Created many assets' };
  const verb = VERBS.get(name);
  if (verb === undefined) return { verb: 'Called', function: name };
  return {
    verb,
    ...(asset !== '' && { asset }),
    ...(verb === 'Transferred' && second !== '' && { newOwner: second }),
  };
}

function argumentsOf({ firstArgument = '', arguments: args = [firstArgument] }: Call): readonly string[] {
  return args;
}
