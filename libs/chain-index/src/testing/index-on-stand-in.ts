import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerChannel, LedgerLogger } from '#ledger-gateway';
import type { ChainLists } from '#ledger-gateway/driver';
import { gatewayOnStandIn, networkOnStandIn } from '#fabric-ledger/testing';
import { until } from '../../../../test/support/until.js';
import { ChainIndex } from '../chain-index.js';

/** Lists that fail: the index must answer. */
const NO_SCANS = new Proxy({} as ChainLists, {
  get: () => () => Promise.reject(new Error('The index did not answer.')),
});

/** A directory for indexes, and how a ledger opens one there. */
export class IndexDirectory {
  readonly path = mkdtempSync(join(tmpdir(), 'index-'));

  /** @param scans - answers while the index cannot; by default nothing does */
  opener(
    options: { readonly scans?: ChainLists | 'of the channel'; readonly logger?: LedgerLogger } = {},
  ): (channel: LedgerChannel, scans: ChainLists, chaincode: string | undefined) => ChainIndex {
    return (source, own, chaincode) => {
      const scans = options.scans === 'of the channel' ? own : (options.scans ?? NO_SCANS);
      return new ChainIndex({ source, scans, directory: this.path, chaincode, logger: options.logger });
    };
  }

  file(name = 'mychannel.db'): string {
    return join(this.path, name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Waits until the index of a channel has every block. */
export async function indexed(ledger: LedgerChannel): Promise<void> {
  const { height } = await ledger.chainInfo();
  await until(() => {
    const state = ledger.indexState?.();
    if (state?.status === 'stopped') throw new Error(`The index has stopped: ${state.reason}`);
    return state?.status === 'ready' && state.blocks >= height;
  });
}

/** The drivers, each on its own stand-in with an index. */
export const DRIVERS = [
  { name: 'fabric-gateway', open: gatewayOnStandIn },
  { name: 'fabric', open: networkOnStandIn },
] as const;
