import { existsSync, readFileSync } from 'node:fs';
import type { DefinedCollection } from '#chaincode-host';
import { collectionSpace } from '#fabric-codec/encode';
import { newerFormatError, writeFileDurably } from '#files';
import { isJsonObject } from '#json';
import { damaged, misconfigured } from '#ledger-gateway';

const FORMAT = 1;

/**
 * After how many blocks the keys of private collections expire, by `CHAINCODE/COLLECTION`. It does not follow from the blocks, which
 * contain no definitions, and never changes, so that a replay gives the same state.
 */
export type BlocksToLive = Readonly<Record<string, number>>;

/** Returns the name of a collection in {@link BlocksToLive}. */
function nameOf({ chaincode, name }: Pick<DefinedCollection, 'chaincode' | 'name'>): string {
  return `${chaincode}/${name}`;
}

/** Returns the collections whose keys expire, by their names in the state. */
export function expiringSpaces(blocksToLive: BlocksToLive): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(blocksToLive).flatMap(([name, blocks]) => {
      const [chaincode = '', collection = ''] = name.split('/', 2);
      return blocks > 0 ? [[collectionSpace(chaincode, collection), blocks] as const] : [];
    }),
  );
}

/**
 * Reads the definitions of a data directory; none when the file does not exist.
 * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED` when its format is newer
 */
export function readBlocksToLive(path: string): BlocksToLive {
  if (!existsSync(path)) return {};
  let content: { readonly format?: unknown; readonly blockToLive?: unknown } | null;
  try {
    content = JSON.parse(readFileSync(path, 'utf8')) as typeof content;
  } catch (cause) {
    throw damaged(`${path} cannot be read: restore it from a backup.`, cause);
  }
  const newer = newerFormatError(path, content?.format, FORMAT);
  if (newer !== undefined) throw misconfigured(newer);
  const { format, blockToLive } = content ?? {};
  if (format === FORMAT && isBlocksToLive(blockToLive)) return blockToLive;
  throw damaged(`${path} is not a file of collections: restore it from a backup.`);
}

/** Returns whether a value of a file has the form of {@link BlocksToLive}. */
export function isBlocksToLive(value: unknown): value is BlocksToLive {
  if (!isJsonObject(value)) return false;
  return Object.values(value).every((blocks) => Number.isSafeInteger(blocks) && Number(blocks) >= 0);
}

/**
 * Returns the definitions after adding those of the configured chaincodes. As on a network, a definition stays when its collection is
 * no longer configured.
 * @throws `LEDGER.MISCONFIGURED` when one has another `blockToLive` than before
 */
export function withCollections(known: BlocksToLive, collections: readonly DefinedCollection[]): BlocksToLive {
  for (const { chaincode, name, blockToLive } of collections) {
    const before = known[nameOf({ chaincode, name })];
    if (before === undefined || before === blockToLive) continue;
    const changed = `the blockToLive of the collection "${name}" of the chaincode "${chaincode}" is ${blockToLive}`;
    const advice = 'It cannot be changed, as on a network: set it back, or give the collection another name.';
    throw misconfigured(`${changed}, and was ${before} when it was defined. ${advice}`);
  }
  const added = collections.map((each) => [nameOf(each), each.blockToLive] as const);
  return { ...known, ...Object.fromEntries(added) };
}

/**
 * Records the collections of the configured chaincodes, before their first write.
 * @returns all that were ever defined
 * @throws what {@link readBlocksToLive} and {@link withCollections} throw
 */
export function defineCollections(path: string, collections: readonly DefinedCollection[]): BlocksToLive {
  const known = readBlocksToLive(path);
  const all = withCollections(known, collections);
  if (Object.keys(all).length > Object.keys(known).length) writeBlocksToLive(path, all);
  return all;
}

/** Writes the definitions of a data directory durably. */
export function writeBlocksToLive(path: string, blockToLive: BlocksToLive): void {
  writeFileDurably(path, `${JSON.stringify({ format: FORMAT, blockToLive }, null, 2)}\n`);
}
