import type { LedgerChannel } from '#ledger-gateway';
import { blockPosition, witnessedReceiptText } from '#receipts';
import type { Trees } from './channel-trees.js';
import { readPolicy } from './witness-policy.js';
import { WitnessRounds } from './witness-rounds.js';
import type { TreeLogger } from './tree-logger.js';

/** The longest time that a receipt waits for confirmations. */
const RECEIPT_TIMEOUT_MS = 15_000;

/** The trees of all channels with their witnesses. */
export class WitnessedLogs {
  readonly #trees: Trees;
  readonly #rounds: ReadonlyMap<string, WitnessRounds>;

  /** @throws `LEDGER.MISCONFIGURED` when the policy cannot be used */
  constructor(
    trees: Trees,
    { policyFile, intervalMs }: { readonly policyFile: string; readonly intervalMs: number },
    logger: TreeLogger,
  ) {
    const policy = readPolicy(policyFile);
    this.#trees = trees;
    this.#rounds = new Map(
      [...trees].map(([name, tree]) => {
        return [name, new WitnessRounds(tree, policy, intervalMs, logger.child({ channel: name }))];
      }),
    );
  }

  /**
   * Returns a receipt with the proof of the channel's log. A new transaction waits for witnesses; without their confirmation the
   * receipt contains the log's signature alone.
   * @returns undefined when no block contains the transaction
   * @throws `LEDGER.TREE_INCOMPLETE` when the log does not cover its block
   */
  async receipt(ledger: LedgerChannel, transactionId: string, hasBlock: boolean): Promise<string | undefined> {
    const found = await ledger.transactionById(transactionId);
    const block = found && (await ledger.blockByNumber(found.blockNumber));
    if (block === undefined) return undefined;
    const place = blockPosition(block.bytes, transactionId);
    const tree = this.#trees.get(ledger.channel);
    const rounds = this.#rounds.get(ledger.channel);
    if (place === undefined || tree === undefined || rounds === undefined) return undefined;
    const size = place.blockNumber + 1;
    const checkpoint =
      (await rounds.witnessed(size, AbortSignal.timeout(RECEIPT_TIMEOUT_MS))) ??
      (await tree.requestCheckpoint(size, AbortSignal.timeout(RECEIPT_TIMEOUT_MS)));
    const proof = tree.proofText(place.blockNumber, checkpoint);
    return witnessedReceiptText(place, block.bytes, { proof, hasBlock });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#rounds.values()].map((rounds) => rounds.close()));
  }
}
