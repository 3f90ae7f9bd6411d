import { treeConfig, type TreeConfig } from '#ledger-config';
import { LedgerError } from '#ledger-gateway';
import { importTree, TreeState } from '#signed-tree';
import { type VerifierKey, verifierKeyText } from '#tlog';
import { notify, print } from '../command-line.js';
import { configured } from '../configured.js';
import { fetchFromLog } from '../fetch-from-log.js';

interface Options {
  readonly channel?: string;
  readonly dataDir?: string;
}

/** Prints the public key of a channel's tree. */
export function key(options: Options): void {
  const { channel, config } = treeOf(options);
  const known = TreeState.keyOf(channel, config);
  if (known === undefined) {
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `${channel} has no tree: start the server with LEDGER_TREE=on first.`,
    );
  }
  print(verifierKeyText(known));
}

/** Begins a new tree of a channel, and prints its public key. */
export function renew(options: Options): void {
  const { channel, config } = treeOf(options);
  const renewed = TreeState.renew(channel, config);
  notify(`The tree of ${channel} begins again as ${renewed.name}. Give its public key to witnesses and verifiers:`);
  print(verifierKeyText(renewed));
}

/** Copies the entries of another replica. */
export async function importEntries(url: string, { log, ...options }: Options & { log: VerifierKey }): Promise<void> {
  const fetch = (path: string): Promise<Uint8Array> =>
    fetchFromLog(url, path).catch((cause: unknown) => {
      throw new LedgerError('LEDGER.UNAVAILABLE', (cause as Error).message, { cause });
    });
  const count = await importTree({ ...treeOf(options), log, fetch });
  print(`${count} entries imported; the server compares them with the blocks of the peer.`);
}

function treeOf({ channel, dataDir }: Options): { readonly channel: string; readonly config: TreeConfig } {
  const names = ['LEDGER_CHANNEL', 'LEDGER_DATA_DIR', 'LEDGER_TREE', 'LEDGER_TREE_ORIGIN', 'LEDGER_TREE_KEY'] as const;
  const values = configured(...names);
  if (values.LEDGER_TREE_ORIGIN === undefined) {
    throw new LedgerError('LEDGER.MISCONFIGURED', 'LEDGER_TREE_ORIGIN is not set: use that of the server.');
  }
  const config = treeConfig({ ...values, LEDGER_DATA_DIR: dataDir ?? values.LEDGER_DATA_DIR });
  return { channel: channel ?? values.LEDGER_CHANNEL, config };
}
