import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Program } from './program.js';

/** A network that `npm run fabric` made for one suite. */
export interface TestNetwork {
  readonly directory: string;
  /** What its `.env` tells ledger-api. */
  readonly env: Readonly<Record<string, string>>;
  down(): Promise<void>;
}

/** Makes a network on free ports, with blocks cut after 200 ms. */
export async function fabricNetworkUp(env: Readonly<Record<string, string>>, ...args: string[]): Promise<TestNetwork> {
  const home = mkdtempSync(join(tmpdir(), 'fabric-'));
  const directory = join(home, 'network');
  const fabric = async (command: string, ...more: string[]): Promise<void> => {
    const program = new Program({
      main: 'src/fabric-network/main.js',
      args: [command, '--dir', directory, ...more],
      env,
    });
    const { code } = await program.ended;
    if (code !== 0) throw new Error(`fabric ${command} ended with ${String(code)}: ${program.stderr}`);
  };
  await fabric('up', '--first-port', '0', '--batch-timeout', '200ms', ...args);
  return {
    directory,
    env: parseEnv(readFileSync(join(directory, '.env'), 'utf8')) as Record<string, string>,
    down: async () => {
      await fabric('down', '--remove-data');
      rmSync(home, { recursive: true, force: true });
    },
  };
}
