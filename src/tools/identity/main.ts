import { runTool } from '../command-line.js';
import { createProgram } from './cli.js';

await runTool('ledger-identity', createProgram());
