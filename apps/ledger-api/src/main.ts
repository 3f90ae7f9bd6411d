import 'reflect-metadata';
import { loadConfig } from './config/ledger-api.config.js';
import { startFailureLines } from './start/start-failure-lines.js';

try {
  const config = loadConfig();
  // Loaded when the configuration is good, so that a bad one is told at once.
  const { startLedgerApi } = await import('./start/start-ledger-api.js');
  await startLedgerApi(config);
} catch (error) {
  process.stderr.write(`${startFailureLines(error).join('\n')}\n`);
  process.exit(1);
}
