import Sequencer from '@jest/test-sequencer';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Seconds by the name of a spec, of those that need more than two (`npm run test:all -- --record`). */
const SECONDS = JSON.parse(readFileSync(new URL('../durations.json', import.meta.url), 'utf8'));

/**
 * Runs long tests first, so that all workers finish at about the same time. In a fresh clone Jest sorts by size, and would run long
 * tests in short files last and alone.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const seconds = ({ path }) => SECONDS[basename(path)] ?? 0;
    return super.sort(tests).toSorted((a, b) => seconds(b) - seconds(a));
  }
}
