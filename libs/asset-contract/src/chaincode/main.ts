import { runCli } from './cli.js';

const exitCode = await runCli();
if (exitCode !== undefined) process.exitCode = exitCode;
