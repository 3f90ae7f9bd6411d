import type { BlockListener, Network } from 'fabric-network';
import { LedgerError } from '../../errors/ledger.errors.js';
import { isWithin } from '../../fabric-client/waiting.js';

/** How blocks of one channel are come by. */
export interface NetworkBlocksOptions {
  readonly network: Network;
  readonly startBlock: number;
  readonly signal: AbortSignal;
  /** The serialized block of that number, which is in the chain. */
  readonly read: (number: number) => Promise<Uint8Array>;
  /** Number of blocks in the chain. */
  readonly height: () => Promise<number>;
}

/** The chain's height is asked for when no event came for this time. */
const QUIET_MS = 5000;

/**
 * Serialized blocks as the chain grows. The SDK's events tell only that there is a new one, since what it decodes cannot
 * be put together again byte for byte; the block itself is asked for.
 * @throws `LEDGER.UNAVAILABLE` when the chain has grown and no event told of it
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

function requireEvents(told: number, height: number): void {
  if (height > told)
    throw new LedgerError('LEDGER.UNAVAILABLE', `The peers tell of no more blocks, and the chain has ${height}.`);
}

/** How high the chain is known to be. */
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

  /** Whether something happened within that time. */
  within(milliseconds: number): Promise<boolean> {
    return isWithin(milliseconds, this.#woken.promise);
  }
}
