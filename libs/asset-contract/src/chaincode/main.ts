import { surviveClosedOutput } from '#logging';
import { runCli } from './cli.js';

surviveClosedOutput('chaincode');
const exitCode = await runCli();
if (exitCode !== undefined) process.exitCode = exitCode;
