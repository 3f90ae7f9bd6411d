import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ledger, LedgerError } from '#ledger-gateway';
import { type ChannelTree, openTrees, readPolicy, type TreeLogger, WitnessRounds } from '#signed-tree';
import { checkSigners, isSignedBy, parseCheckpoint, parsePolicy, type TreeHead, verifierKeyText } from '#tlog';
import type { Logger, OpenOptions, VerifyOptions } from './public-types.js';

const ROUND_MS = 10_000;
/** The longest time that a checkpoint waits for its signature, and for witnesses. */
const TIMEOUT_MS = 15_000;
/** Digits of the first block's hash in the default origin. */
const ORIGIN_DIGITS = 16;

/** The signed tree of a ledger, and its witnesses. */
export class Checkpoints {
  readonly #tree: ChannelTree;
  readonly #rounds: WitnessRounds | undefined;

  private constructor(tree: ChannelTree, rounds: WitnessRounds | undefined) {
    this.#tree = tree;
    this.#rounds = rounds;
  }

  /** @throws `LEDGER.MISCONFIGURED` when the tree is of another origin, or the policy cannot be used */
  static async open(
    ledger: Ledger,
    directory: string,
    { origin, witnesses, logger }: OpenOptions,
  ): Promise<Checkpoints> {
    const policy = witnesses && readPolicy(witnesses.policy, 'witnesses.policy');
    const treeDirectory = join(directory, 'tree');
    const config = {
      isOn: true,
      directory: treeDirectory,
      keyFile: join(treeDirectory, 'keys'),
      origin: origin ?? `ledger.local/${(await ledger.blockByNumber(0))?.hash.slice(0, ORIGIN_DIGITS) ?? ''}`,
      hasWitnesses: policy !== undefined,
    };
    const log = withFacts(logger ?? SILENT, {});
    const trees = await openTrees(ledger, config, log);
    const tree = trees.get(ledger.channel);
    if (tree === undefined) throw new LedgerError('LEDGER.NOT_SUPPORTED', 'The ledger has no tree.');
    const rounds = policy && new WitnessRounds(tree, policy, witnesses.intervalMs ?? ROUND_MS, log);
    return new Checkpoints(tree, rounds);
  }

  /**
   * Returns a checkpoint that covers a number of blocks; with witnesses, one that they have confirmed.
   * @throws `LEDGER.TREE_INCOMPLETE` when there is none in time
   */
  async covering(height: number): Promise<string> {
    const late = new AbortController();
    // Unlike AbortSignal.timeout() it keeps the program running, which waits for nothing else.
    const timer = setTimeout(() => {
      late.abort();
    }, TIMEOUT_MS);
    try {
      return await this.#covering(height, late.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  async #covering(height: number, signal: AbortSignal): Promise<string> {
    if (this.#rounds === undefined) return (await this.#tree.requestCheckpoint(height, signal)).text;
    const witnessed = await this.#rounds.witnessed(height, signal);
    if (witnessed !== undefined) return witnessed.text;
    const text = `Not enough witnesses confirmed the newest ${height} blocks within ${TIMEOUT_MS / 1000} s. Try again later.`;
    throw new LedgerError('LEDGER.TREE_INCOMPLETE', text);
  }

  verifierKey(): string {
    return verifierKeyText(this.#tree.key);
  }

  async close(): Promise<void> {
    await this.#rounds?.close();
    await this.#tree.close();
  }
}

/**
 * Returns the size and the root of the tree that a verification compares with.
 * @throws `LEDGER.MISCONFIGURED` for a checkpoint that is malformed, or that a policy does not accept
 */
export async function expectedHead({ checkpoint: text, policy: file }: VerifyOptions): Promise<TreeHead | undefined> {
  if (text === undefined) {
    if (file === undefined) return undefined;
    throw new LedgerError('LEDGER.MISCONFIGURED', 'The option policy needs the option checkpoint.');
  }
  try {
    const checkpoint = parseCheckpoint(text);
    if (file !== undefined) {
      const signers = await checkSigners(checkpoint, parsePolicy(readFileSync(file, 'utf8')), isSignedBy);
      if (!signers.isSigned) throw new Error('no log of the policy signed it');
      if (!signers.isWitnessed) throw new Error('not enough witnesses of the policy confirmed it');
    }
    return checkpoint;
  } catch (error) {
    const reason = `The checkpoint cannot be used: ${(error as Error).message}.`;
    throw new LedgerError('LEDGER.MISCONFIGURED', reason, { cause: error });
  }
}

const SILENT: Logger = { info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // The caller has passed no logger.
}

/** Returns a logger that adds facts to those of each message. */
function withFacts(logger: Logger, facts: object): TreeLogger {
  return {
    info: (more, message) => {
      logger.info({ ...facts, ...more }, message);
    },
    warn: (more, message) => {
      logger.warn({ ...facts, ...more }, message);
    },
    error: (more, message) => {
      logger.error({ ...facts, ...more }, message);
    },
    child: (more) => withFacts(logger, { ...facts, ...more }),
  };
}
