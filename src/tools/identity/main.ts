import { surviveClosedOutput } from '#logging';
import { runCli } from './cli.js';

surviveClosedOutput('identity');
process.exitCode = await runCli();
