import 'reflect-metadata';
import { checkEnvironment } from './config/config.js';
import { startFailureLines } from './start-failure.js';

const NEEDED = 24;

async function main(): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) < NEEDED) {
    // Loaded on an older Node the rest would fail with what that Node lacks.
    const message = `ledger-api needs Node ${NEEDED} or newer, this is ${process.versions.node}: install a newer one, or in the workspace run it with node_modules/.bin/node.`;
    process.stderr.write(`${message}\n`);
    process.exit(1);
  }
  checkEnvironment();
  // Loaded when the configuration is good, so that a bad one is told at once.
  const { startLedgerApi } = await import('./start.js');
  await startLedgerApi();
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${startFailureLines(error).join('\n')}\n`);
  process.exit(1);
}
