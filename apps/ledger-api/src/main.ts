import 'reflect-metadata';
import { loadConfig } from './config/ledger-api.config.js';
import { startFailureLines } from './start/report-start-failure.js';
import { startLedgerApi } from './start/start-ledger-api.js';

try {
  await startLedgerApi(loadConfig());
} catch (error) {
  process.stderr.write(`${startFailureLines(error).join('\n')}\n`);
  process.exit(1);
}
