import type { BlockListener, Network } from 'fabric-network';
import { LedgerError } from '../../errors/ledger.errors.js';
import type { ChainQueries } from '../../fabric-client/chain.js';
import { isWithin } from '../../fabric-client/waiting.js';

/** The chain's height is queried when no event arrived for this time. */
const QUIET_MS = 5000;

/**
 * Yields serialized blocks as the chain grows. Events only signal a new block, which is then read, because a block that the
 * SDK has decoded cannot be re-encoded byte for byte. Ends when the peer that is queried does not have the block yet.
 * @throws `LEDGER.UNAVAILABLE` when the chain has grown without an event
 */
export async function* networkBlocks(
  network: Network,
  queries: ChainQueries,
  startBlock: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  let height = 0;
  let woken = Promise.withResolvers<undefined>();
  const wake = (): void => {
    woken.resolve(undefined);
    woken = Promise.withResolvers();
  };
  const listener: BlockListener = (event) => {
    height = Math.max(height, event.blockNumber.toNumber() + 1);
    wake();
    return Promise.resolve();
  };
  signal.addEventListener('abort', wake, { once: true });
  await network.addBlockListener(listener, { type: 'filtered' });
  try {
    ({ height } = await queries.chainInfo());
    for (let next = startBlock; !signal.aborted;) {
      if (next < height) {
        const block = await queries.blockByNumber(next++);
        if (block === undefined) return;
        yield block.bytes;
      } else if (!(await isWithin(QUIET_MS, woken.promise))) {
        const { height: present } = await queries.chainInfo();
        if (present > height) {
          const text = `No more events arrive, although the chain has ${present} blocks.`;
          throw new LedgerError('LEDGER.UNAVAILABLE', text);
        }
      }
    }
  } finally {
    network.removeBlockListener(listener);
    signal.removeEventListener('abort', wake);
  }
}
