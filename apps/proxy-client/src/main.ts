import { surviveClosedOutput } from '#logging';

const NEEDED = [24, 9] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  // Loaded on an older Node the rest would fail with a stack trace instead.
  process.stderr.write(
    `proxy-client needs Node ${NEEDED.join('.')} or newer, this is ${process.versions.node}: install a newer one, or in the workspace run it with node_modules/.bin/node.\n`,
  );
  process.exitCode = 1;
} else {
  surviveClosedOutput('proxy-client');
  const { runCli } = await import('./cli.js');
  const exitCode = await runCli();
  if (exitCode !== undefined) process.exitCode = exitCode;
}
