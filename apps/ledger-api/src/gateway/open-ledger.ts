import { createEmbeddedLedger, type CommitObservation, type Ledger, type LedgerLogger } from '#ledger-gateway';
import type { LedgerApiConfig } from '../config/ledger-api.config.js';

export interface OpenLedgerOptions {
  readonly config: LedgerApiConfig['ledger'];
  readonly onCommit: (commit: CommitObservation) => void;
  readonly logger: LedgerLogger;
}

/**
 * Opens the ledger behind the configured driver.
 * @throws a LedgerError that says why it cannot be opened
 */
export async function openLedger({ config, onCommit, logger }: OpenLedgerOptions): Promise<Ledger> {
  const { driver, dataDir, channel, chaincode, mspId } = config;
  switch (driver) {
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- the only driver so far
    case 'embedded':
      return await createEmbeddedLedger({ dataDir, channel, chaincode, mspId, onCommit, logger });
    default:
      driver satisfies never;
      throw new TypeError(`unknown driver ${String(driver)}`);
  }
}
