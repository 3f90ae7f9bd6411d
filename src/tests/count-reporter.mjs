import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';

/** A reporter of Jest that writes the number of tests that ran, and how many seconds each spec took, into the file TEST_COUNTS. */
export default class CountReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, testResults }) {
    const seconds = testResults.map(({ testFilePath, perfStats }) => [
      basename(testFilePath),
      perfStats.runtime / 1000,
    ]);
    const counts = { tests: numPassedTests + numFailedTests, seconds };
    writeFileSync(process.env['TEST_COUNTS'], JSON.stringify(counts));
  }
}
