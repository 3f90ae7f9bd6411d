import type { CommandLine } from './command-line.js';
import { ConfigError } from './config/config-faults.js';
import { loadEnvFile } from './config/environment.js';
import { loadConfig, loadConfigBeside } from './config/load-config.js';
import { ListenError } from './listener/listen.js';

/** How the program ends; the check of the upstream has further ones of its own. */
const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/**
 * Runs the program as its command line says. What a start does not need is not loaded before it: the proxy serves the
 * sooner.
 *
 * @param argv - the arguments behind the program's name
 * @returns the exit code, or undefined when the proxy was started and runs
 */
export async function runCli(argv: readonly string[] = process.argv.slice(2)): Promise<number | undefined> {
  const command = argv.length === 0 ? {} : (await import('./command-line.js')).readCommandLine(argv);
  if (command === 'done') return EXIT.ok;
  if (command === 'wrong') return EXIT.usage;
  try {
    return await run(command);
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof ListenError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error instanceof ConfigError && error.isUsage ? EXIT.usage : EXIT.failed;
  }
}

async function run(command: CommandLine): Promise<number | undefined> {
  const { check, explain, user, hashPassword, watch = false, ...options } = command;
  if (hashPassword === true) return printHash();
  loadEnvFile();
  const sources = { options, environment: { ...process.env }, directory: process.cwd() };
  const loaded = loadConfig(sources);
  if (explain !== undefined) {
    const { explainRoute } = await import('./check/explain-route.js');
    explainRoute(loaded.config, explain, user, tell);
    return EXIT.ok;
  }
  if (check === undefined) {
    const { startProxy } = await import('./start.js');
    await startProxy(loaded, { load: async () => loadConfigBeside(sources), watch });
    return undefined;
  }
  const { checkUpstream } = await import('./check/check-upstream.js');
  return checkUpstream(loaded, check === true ? undefined : check, tell);
}

function tell(line: string): void {
  console.log(line);
}

async function printHash(): Promise<number> {
  const { hashGivenPassword } = await import('./users/hash-password.js');
  const result = await hashGivenPassword({ input: process.stdin, questions: process.stderr });
  if ('fault' in result) {
    process.stderr.write(`proxy-client: ${result.fault}\n`);
    return EXIT.failed;
  }
  console.log(result.hash);
  return EXIT.ok;
}
