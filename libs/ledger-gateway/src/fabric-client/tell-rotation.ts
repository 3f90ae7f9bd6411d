import type { LedgerLogger } from '../ports/ledger-logger.js';

/** Tells an operator that files were replaced while the program runs, and whether the new ones can be used. */
export function tellRotation(logger: LedgerLogger | undefined, what: string): (fault?: Error) => void {
  return (fault) => {
    if (fault === undefined) logger?.info({}, `the ${what} was replaced on disk and is used from now on`);
    else logger?.warn({ err: fault }, `the ${what} was replaced on disk and cannot be used; the earlier one stays`);
  };
}
