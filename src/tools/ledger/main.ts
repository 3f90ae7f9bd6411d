import { surviveClosedOutput } from '#logging';
import { runCli } from './cli.js';

surviveClosedOutput('ledger');
process.exitCode = await runCli();
