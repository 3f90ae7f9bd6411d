import Sequencer from '@jest/test-sequencer';

/** Long tests in short files. In a fresh clone Jest sorts by size, and would run them last and alone. */
const LONG =
  /(conformance|chaos|ledger-crash|signers|faults|fabric-keys|log\.e2e|group-upstream|event-streams|examine-chain|verify-receipt|maintenance|store-reader)/;

/** Runs long tests first, so that all workers finish at about the same time. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = ({ path }) => LONG.test(path);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
