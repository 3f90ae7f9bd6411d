// `npm start`: runs both programs.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch } from './launcher.js';

/** The bundle of a program, relative to the bundle of this one. */
const bundleOf = (name: string): string =>
  fileURLToPath(new URL(`../apps/${name}/bundle/lib/${name}.js`, import.meta.url));

if (process.argv.length > 2) {
  console.error(
    `npm start: unknown argument ${JSON.stringify(process.argv[2])}. Configure both programs by .env and proxy-client.yaml.`,
  );
  process.exit(2);
}

// Without a configured upstream the proxy connects directly, so that it works without configuration.
const isConfigured = process.env['PROXY_CONFIG'] !== undefined || existsSync('proxy-client.yaml');
const defaults = isConfigured ? {} : { PROXY_UPSTREAM: 'embedded' };

launch([
  { name: 'ledger-api', main: bundleOf('ledger-api'), defaults: {} },
  { name: 'proxy-client', main: bundleOf('proxy-client'), defaults },
]);
