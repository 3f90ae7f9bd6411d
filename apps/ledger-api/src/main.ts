// Nest's decorators need it before any of Nest is loaded.
import 'reflect-metadata';
import { runOnSupportedNode } from '#logging';

await runOnSupportedNode('ledger-api', async () => {
  const { runCli } = await import('./cli.js');
  await runCli();
});
