import { LedgerError } from '#ledger-gateway';
import { InvalidEnvironmentError } from '../../../apps/ledger-api/src/config/variables.js';
import { runTool } from '../command-line.js';
import { createProgram } from './cli.js';
import { IdentityError } from './identity-store.js';

await runTool('identity', createProgram(), (error) =>
  error instanceof LedgerError || error instanceof IdentityError || error instanceof InvalidEnvironmentError
    ? error.message
    : undefined,
);
