import { runTool } from '../command-line.js';
import { createProgram } from './cli.js';

// The errors of the ledger and of its configuration are one line for the user.
await runTool('ledger', createProgram(), (error) => {
  const { code, message } = error as Error & { readonly code?: unknown };
  return typeof code === 'string' && code.startsWith('LEDGER') ? message : undefined;
});
