import type { TreeConfig } from '#ledger-config';
import type { Ledger } from '#ledger-gateway';
import { verifierKeyText } from '#tlog';
import { ChannelTree } from './channel-tree.js';
import { TreeState } from './tree-state.js';
import type { TreeLogger } from './tree-logger.js';

/** The trees of all channels, by their names. */
export type Trees = ReadonlyMap<string, ChannelTree>;

/**
 * Opens the trees of all channels of a ledger that have entries, which they follow from now on.
 * @throws `LEDGER.MISCONFIGURED` when a state or key cannot be used
 */
export async function openTrees(
  { channels }: Ledger,
  { hasWitnesses, ...config }: TreeConfig & { readonly hasWitnesses: boolean },
  logger: TreeLogger,
): Promise<Trees> {
  const trees = new Map<string, ChannelTree>();
  try {
    for (const [name, channel] of channels) {
      const { treeEntries } = channel;
      if (treeEntries === undefined) continue;
      const source = {
        channel: name,
        chainInfo: () => channel.chainInfo(),
        blockByNumber: (number: number) => channel.blockByNumber(number),
        treeEntries,
      };
      const tree = new ChannelTree(source, TreeState.open(name, config), logger, hasWitnesses);
      trees.set(name, tree);
      logger.info({ channel: name, key: verifierKeyText(tree.key) }, 'signing the tree of a channel');
    }
  } catch (error) {
    await Promise.all([...trees.values()].map((tree) => tree.close()));
    throw error;
  }
  return trees;
}
