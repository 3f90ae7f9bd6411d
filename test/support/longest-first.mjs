import Sequencer from '@jest/test-sequencer';

/** Long tests in short files. In a fresh clone Jest sorts by size, and would run them last and alone. */
const LONG = new RegExp(
  `chains chaos conformance embedded-callers embedded-keys event-streams examine-chain fabric-keys failures.e2e faults forms
  gateway-keys group-upstream ledger-crash lifecycle log.e2e maintenance readme sign-in signers store-reader tracing
  upgrade verify-receipt`.replaceAll(/\s+/g, '|'),
);

/** Runs long tests first, so that all workers finish at about the same time. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = ({ path }) => LONG.test(path);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
