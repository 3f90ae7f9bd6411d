import { surviveClosedOutput } from '#logging';

const REQUIRED_NODE = [24, 9] as const;

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > REQUIRED_NODE[0] || (major === REQUIRED_NODE[0] && minor >= REQUIRED_NODE[1]);
}

async function bootstrap(): Promise<void> {
  if (!isSupported(process.versions.node)) {
    process.stderr.write(
      `proxy-client needs Node ${REQUIRED_NODE.join('.')} or newer, this is ${process.versions.node}. Install a newer one; ` +
        'in the workspace, run the program with node_modules/.bin/node.\n',
    );
    process.exitCode = 1;
    return;
  }
  surviveClosedOutput('proxy-client');
  // Loaded after the check: on an older Node it would fail with a stack trace.
  const { runCli } = await import('./cli/cli.js');
  process.exitCode = await runCli();
}

await bootstrap();
