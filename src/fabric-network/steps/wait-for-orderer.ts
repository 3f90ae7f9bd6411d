import { join } from 'node:path';
import { FabricNetworkError } from '../errors/fabric-network.error.js';
import { ORG1 } from '../plan/network-plan.js';
import { waitUntil } from '../processes/wait-until.js';
import type { NetworkContext } from './network-context.js';
import { ordererArguments, runPeer } from './peer-cli.js';

/** An orderer that starts elects itself after one to two seconds. */
const READY_MS = 20_000;

/**
 * Waits until the orderer serves the channel. Until it has elected itself it refuses to deliver blocks as it refuses
 * transactions.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.NOT_READY with the orderer's last answer
 */
export async function waitForOrderer(context: NetworkContext): Promise<void> {
  const { plan, layout, signal, progress } = context;
  const file = join(layout.orderer, 'newest.block');
  let last: FabricNetworkError | undefined;
  const served = await waitUntil(
    async () => {
      try {
        return await runPeer(context, ORG1, [
          ...['channel', 'fetch', 'newest', file, '-c', plan.channel],
          ...ordererArguments(context),
        ]);
      } catch (error) {
        if (!(error instanceof FabricNetworkError)) throw error;
        last = error;
        return undefined;
      }
    },
    { timeoutMs: READY_MS, signal },
  );
  if (served === undefined) {
    throw new FabricNetworkError(
      'FABRIC_NETWORK.NOT_READY',
      `the orderer does not serve ${plan.channel} after ${READY_MS / 1000} s (${last?.message ?? 'no answer'}): ` +
        `see ${layout.log('orderer')}`,
      { cause: last },
    );
  }
  progress(`orderer takes transactions of ${plan.channel}`);
}
