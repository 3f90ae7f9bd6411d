import { runOnSupportedNode } from '#logging';

await runOnSupportedNode('ledger-identity', async () => {
  const [{ runTool }, { createProgram }] = await Promise.all([import('../command-line.js'), import('./cli.js')]);
  await runTool('ledger-identity', createProgram());
});
