import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';

/** The reason in the title of a test that is skipped because something is not on this machine. */
const MISSING = /\(skipped: ([^()]*)\)/;

/** A reporter of Jest that writes what each spec did into the file TEST_COUNTS: its tests, its seconds, and what was missing. */
export default class CountReporter {
  onRunComplete(_contexts, { testResults }) {
    const specs = testResults.map((result) => ({
      spec: relative(process.cwd(), result.testFilePath),
      passed: result.numPassingTests,
      // A spec that cannot be loaded has no tests.
      failed: result.numFailingTests + (result.failureMessage && result.numFailingTests === 0 ? 1 : 0),
      skipped: result.numPendingTests,
      seconds: result.perfStats.runtime / 1000,
      missing: [
        ...new Set(result.testResults.filter(isSkipped).flatMap(({ fullName }) => MISSING.exec(fullName)?.[1] ?? [])),
      ],
    }));
    writeFileSync(process.env['TEST_COUNTS'], JSON.stringify(specs));
  }
}

function isSkipped({ status }) {
  return status === 'pending';
}
