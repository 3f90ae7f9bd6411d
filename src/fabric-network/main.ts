import { runTool } from '../tools/command-line.js';
import { createProgram } from './cli.js';
import { FabricNetworkError } from './processes.js';

await runTool('fabric', createProgram(), (error) => (error instanceof FabricNetworkError ? error.message : undefined));
