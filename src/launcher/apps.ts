import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AppToLaunch } from './launch.js';

/** The bundle of a program, seen from the bundle of the launcher. */
function main(app: string): string {
  return fileURLToPath(new URL(`../apps/${app}/bundle/lib/${app}.js`, import.meta.url));
}

/**
 * The proxy leaves through its built-in SOCKS5 server, so that it works at once, unless somebody has said which upstream
 * to use: in the environment or by a `proxy-client.yaml` in the working directory.
 */
function proxyDefaults(environment: NodeJS.ProcessEnv, directory: string): Record<string, string> {
  const configured = environment['PROXY_CONFIG'] !== undefined || existsSync(join(directory, 'proxy-client.yaml'));
  return configured ? {} : { PROXY_UPSTREAM: 'embedded' };
}

/** What `npm start` runs. */
export function apps(environment: NodeJS.ProcessEnv, directory: string): AppToLaunch[] {
  return [
    { name: 'ledger-api', main: main('ledger-api'), arguments: [], defaults: {} },
    {
      name: 'proxy-client',
      main: main('proxy-client'),
      arguments: [],
      defaults: proxyDefaults(environment, directory),
    },
  ];
}
