/** What a transaction did, in the words of people. */
export interface Story {
  /** Such as `Transferred`; for a function that is not known here, `Called`. */
  readonly verb: string;
  /** The asset it was about. */
  readonly asset?: string;
  /** The owner it came to. */
  readonly owner?: string;
  /** The function, where it is not known here. */
  readonly call?: string;
}

/** What tells the story of a transaction: all that it was called with, or as much of it as a list has. */
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

/** Tells what a call of the contract of assets did; of any other chaincode, which function was called. */
export function storyOf({ function: name, firstArgument = '', arguments: given = [firstArgument] }: Call): Story {
  const [asset = '', second] = given;
  if (name === '') return { verb: 'Configured the channel' };
  if (name === 'InitLedger') return { verb: 'Created the initial assets' };
  const verb = VERBS.get(name);
  if (verb === undefined) return { verb: 'Called', call: name };
  return {
    verb,
    ...(asset !== '' && { asset }),
    ...(verb === 'Transferred' && second !== undefined && { owner: second }),
  };
}
