import { LedgerProcess } from './ledger-process.js';
import type { LedgerOptions, TestLedger } from './public-types.js';
import { OpenTestLedger } from './open-test-ledger.js';

export type * from './public-types.js';

/** Processes by their options. */
const PROCESSES = new Map<string, LedgerProcess>();

/**
 * Starts a ledger for a test. The first call starts a process with the chaincodes; each later one with equal options opens
 * another ledger in it, in a few milliseconds. The process ends with this one, or two seconds after its last ledger was closed.
 * @throws an error with the reason why the process could not start
 */
export async function startLedger(options: LedgerOptions = {}): Promise<TestLedger> {
  const name = JSON.stringify(options);
  let used = PROCESSES.get(name);
  if (used === undefined || used.hasEnded) {
    used = new LedgerProcess(options);
    PROCESSES.set(name, used);
  }
  const { url, channel, keys } = await used.open();
  return new OpenTestLedger({ url, keys, caller: 'test', close: async () => used.close(channel) });
}
