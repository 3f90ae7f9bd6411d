import { runTool } from '../command-line.js';
import { createProgram } from './cli.js';
import { FabricNetworkError } from './fabric-network.error.js';

await runTool('fabric', createProgram(), (error) =>
  error instanceof FabricNetworkError ? `fabric: ${error.message}` : undefined,
);
