import { surviveClosedOutput } from '#logging';
import { runCli } from './cli.js';

surviveClosedOutput('fabric');
process.exitCode = await runCli();
