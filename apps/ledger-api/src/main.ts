// Nest's decorators need it before any of Nest is loaded.
import 'reflect-metadata';

const MINIMUM_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < MINIMUM_NODE) {
  // Nothing else is loaded on an older Node, where it would fail with an obscure error.
  process.stderr.write(
    `ledger-api requires Node ${MINIMUM_NODE} or newer, but this is ${process.versions.node}. ` +
      'Install a newer version, or use node_modules/.bin/node in the workspace.\n',
  );
  process.exit(1);
}

const { runCli } = await import('./cli.js');
await runCli();
