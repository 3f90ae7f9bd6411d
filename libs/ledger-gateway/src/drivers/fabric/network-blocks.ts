import type { BlockListener, Network } from 'fabric-network';
import { LedgerError } from '../../errors/ledger.errors.js';
import { isWithin } from '../../fabric-client/waiting.js';

/** Options of {@link networkBlocks}. */
export interface NetworkBlocksOptions {
  readonly network: Network;
  readonly startBlock: number;
  readonly signal: AbortSignal;
  /** Reads the serialized block with that number. */
  readonly read: (number: number) => Promise<Uint8Array>;
  /** Reads the number of blocks in the chain. */
  readonly height: () => Promise<number>;
}

/** The chain's height is queried when no event arrived for this time. */
const QUIET_MS = 5000;

/**
 * Yields serialized blocks as the chain grows. Events only signal a new block, which is then read, because a block that the
 * SDK has decoded cannot be re-encoded byte for byte.
 * @throws `LEDGER.UNAVAILABLE` when the chain has grown without an event
 */
export async function* networkBlocks(options: NetworkBlocksOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { network, startBlock, signal, read, height } = options;
  const growth = new Growth();
  const listener: BlockListener = (event) => {
    growth.reach(event.blockNumber.toNumber() + 1);
    return Promise.resolve();
  };
  const stop = (): void => {
    growth.wake();
  };
  signal.addEventListener('abort', stop, { once: true });
  await network.addBlockListener(listener, { type: 'filtered' });
  try {
    growth.reach(await height());
    for (let next = startBlock; !signal.aborted;) {
      if (next < growth.height) yield await read(next++);
      else if (!(await growth.within(QUIET_MS))) requireEvents(growth.height, await height());
    }
  } finally {
    network.removeBlockListener(listener);
    signal.removeEventListener('abort', stop);
  }
}

function requireEvents(reported: number, height: number): void {
  if (height > reported)
    throw new LedgerError('LEDGER.UNAVAILABLE', `No more events arrive, although the chain has ${height} blocks.`);
}

/** The known height of the chain, and a signal for its changes. */
class Growth {
  #height = 0;
  #woken = Promise.withResolvers<undefined>();

  get height(): number {
    return this.#height;
  }

  reach(height: number): void {
    this.#height = Math.max(this.#height, height);
    this.wake();
  }

  wake(): void {
    this.#woken.resolve(undefined);
    this.#woken = Promise.withResolvers();
  }

  /** Returns whether it was woken within a time. */
  within(milliseconds: number): Promise<boolean> {
    return isWithin(milliseconds, this.#woken.promise);
  }
}
