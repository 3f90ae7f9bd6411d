import { ContractError } from './contract-error.js';
import type { HistoryEntry, HistoryQuery, StateEntry } from './contract-function.js';

/** Maximum number of changes of a key that one page reads: a peer cannot begin further back. */
const HISTORY_REACH = 5000;

/** A page of the changes of a key, newest first. */
export interface HistoryPage {
  readonly changes: readonly HistoryEntry[];
  /** The transaction of the page's last change, so that changes made meanwhile neither shift nor repeat any; empty on the last page. */
  readonly bookmark: string;
}

/**
 * Reads one page of the changes of a key, newest first.
 * @param page - `bookmark` is empty for the first page
 * @returns undefined when there is no change, or none after the bookmark within {@link HISTORY_REACH}
 */
export function* readHistoryPage(
  key: string,
  { size, bookmark }: Readonly<{ size: number; bookmark: string }>,
): Generator<HistoryQuery, HistoryPage | undefined, readonly StateEntry[]> {
  const isFirst = bookmark === '';
  // One more than requested shows whether there is a next page; the bookmark's entry was on the previous page.
  const limit = size + (isFirst ? 1 : 2);
  const found: HistoryEntry[] = [];
  let examined = 0;
  const add = (change: HistoryEntry): boolean => {
    examined += 1;
    if (examined > HISTORY_REACH) return false;
    if (isFirst || found.length > 0 || change.transactionId === bookmark) found.push(change);
    return found.length < limit;
  };
  yield { historyOf: key, add };
  if (found.length === 0) return undefined;
  const rest = isFirst ? found : found.slice(1);
  const changes = rest.slice(0, size);
  const hasMore = rest.length > size || examined > HISTORY_REACH;
  const last = changes.at(-1);
  if (hasMore && last === undefined) return undefined;
  return { changes, bookmark: hasMore ? (last?.transactionId ?? '') : '' };
}

/** Creates the refusal for a bookmark of an existing key that {@link readHistoryPage} did not reach. */
export function outOfReach(key: string): ContractError {
  const reason = `the page after the bookmark is not among the newest ${HISTORY_REACH} changes of ${key}`;
  return new ContractError('INVALID_ARGUMENT', reason);
}
