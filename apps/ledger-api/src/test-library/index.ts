import { LedgerProcess } from './ledger-process.js';
import type { LedgerOptions, TestLedger } from './public-types.js';
import { OpenTestLedger } from './open-test-ledger.js';

export type * from './public-types.js';

const KNOWN: readonly string[] = ['chaincodes', 'callers', 'environment'] satisfies (keyof LedgerOptions)[];
/** Processes by their options. */
const PROCESSES = new Map<string, LedgerProcess>();

/**
 * Starts a ledger for a test. The first call starts a process with the chaincodes; each later one with equal options opens
 * another ledger in it, in a few milliseconds. The process ends with this one, or two seconds after its last ledger was closed.
 * @throws an error with the reason why the process could not start
 */
export async function startLedger(options: LedgerOptions = {}): Promise<TestLedger> {
  requireKnown(options);
  const name = JSON.stringify(options);
  let used = PROCESSES.get(name);
  if (used === undefined || used.hasEnded) {
    used = new LedgerProcess(options);
    PROCESSES.set(name, used);
  }
  const { url, channel, keys } = await used.open();
  let closed: Promise<void> | undefined;
  // A second close would be counted as that of another ledger, which then loses its process.
  const close = async (): Promise<void> => (closed ??= used.close(channel));
  return new OpenTestLedger({ url, keys, caller: 'test', transient: {}, close });
}

/** A test in JavaScript has no types that find a misspelled option. */
function requireKnown(options: object): void {
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) throw new TypeError(`The option "${unknown}" is unknown. Known: ${KNOWN.join(', ')}.`);
}
