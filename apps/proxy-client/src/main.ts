import { runOnSupportedNode, surviveClosedOutput } from '#logging';

await runOnSupportedNode('proxy-client', async () => {
  surviveClosedOutput('proxy-client');
  const { runCli } = await import('./cli/cli.js');
  process.exitCode = await runCli();
});
