import type { CommandLine, GateCommand } from './command-line.js';
import { ConfigError } from '../config/config-faults.js';
import { readEnvFile, type CommandLineOptions } from '../config/overrides.js';
import { requireHandshakes } from '../config/handshakes.js';
import { loadConfig, loadConfigAsync, type ConfigSources, type LoadedConfig } from '../config/load-config.js';
import { takeSystemdSockets, type SystemdSockets } from '../config/systemd-sockets.js';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { Target } from '../http/authority.js';
import { ListenError } from '../listener/listen-error.js';
import { listsOf } from '../routing/rules/rule.js';

/** The exit codes; --check has further ones. */
const EXIT = { ok: 0, failed: 1, usage: 2, runFailed: 125 } as const;

/**
 * Runs the program by its command line. Modules that a start does not need are loaded on demand, so that the proxy serves earlier.
 *
 * @param argv - the arguments after the program's name
 * @returns the exit code, or undefined while the proxy runs
 */
export async function runCli(argv: readonly string[] = process.argv.slice(2)): Promise<number | undefined> {
  // First: neither the configuration nor child processes must see the variables.
  const systemd = takeSystemdSockets(process.env, process.pid);
  const command = argv.length === 0 ? {} : (await import('./command-line.js')).parseCommandLine(argv);
  if (command === 'done') return EXIT.ok;
  if (command === 'invalid') return EXIT.usage;
  try {
    return await run(command, systemd);
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof ListenError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return codeOf(error, command);
  }
}

function codeOf(error: ConfigError | ListenError, { gate }: CommandLine): number {
  if (error instanceof ConfigError && error.isUsage) return EXIT.usage;
  // The code of a command must not be taken for that of a fault.
  return runsCommand(gate) ? EXIT.runFailed : EXIT.failed;
}

/** Returns whether a subcommand runs a command, for which it has its own listener. */
function runsCommand(gate: GateCommand | undefined): boolean {
  return gate?.name === 'run' || gate?.name === 'learn';
}

function sourcesOf(options: CommandLineOptions, gate: GateCommand | undefined): ConfigSources {
  // A command that ran before may have changed the working directory: nothing in it may decide what the next one reaches.
  const isConfining = gate?.name === 'run';
  return {
    options,
    environment: { ...(isConfining ? {} : readEnvFile()), ...process.env },
    directory: process.cwd(),
    mustNameFile: isConfining,
    hasOwnListener: runsCommand(gate),
  };
}

async function run(command: CommandLine, systemd: SystemdSockets): Promise<number | undefined> {
  const { check, explain, user, hashPassword, watch = false, unattended, gate, ...options } = command;
  if (hashPassword === true) return printHash();
  if (gate?.name === 'connect') return (await import('./connect.js')).connectThrough(gate);
  const sources = sourcesOf(options, gate);
  const loaded = loadConfig(sources);
  await requireHandshakes(loaded.config, loaded.files);
  if (gate !== undefined) return runGateCommand(gate, loaded);
  if (explain !== undefined) return explainTarget(loaded.config, explain, user);
  if (check !== undefined) return checkConfig(loaded, check);
  const { startProxy } = await import('./start.js');
  await startProxy(loaded, { load: async () => loadConfigAsync(sources), watch, systemd, unattended });
  return undefined;
}

async function checkConfig(loaded: LoadedConfig, check: Target | true): Promise<number> {
  const { ignoredVariables: ignored } = loaded;
  if (ignored.length > 0) process.stderr.write(`not read by proxy-client, and without effect: ${ignored.join(', ')}\n`);
  const { checkStart } = await import('../proxy/check-start.js');
  for (const requirement of await checkStart(loaded.config)) process.stderr.write(`log.requests: ${requirement}\n`);
  if (hasFiles(loaded.config)) {
    const { checkLists } = await import('./check-lists.js');
    await checkLists(loaded.config, print);
  }
  const { checkUpstreams } = await import('../upstream/check-upstream.js');
  return checkUpstreams(loaded, check === true ? undefined : check, print);
}

async function explainTarget(config: ProxyClientConfig, target: Target, user: string | undefined): Promise<number> {
  const { explainRoute } = await import('../routing/explain-route.js');
  const files = hasFiles(config) ? await import('./check-lists.js') : undefined;
  await files?.loadLocalLists(config);
  const { lines, upstream } = explainRoute(config, target, user);
  for (const each of [...lines, ...((await files?.explainScript(config, upstream, target)) ?? [])]) print(each);
  return EXIT.ok;
}

/** Whether lists or PAC scripts must be loaded before the configuration can be used. */
function hasFiles(config: ProxyClientConfig): boolean {
  return listsOf(config).length > 0 || config.upstreams.some(({ kind }) => kind === 'pac');
}

async function runGateCommand(
  command: Exclude<GateCommand, { name: 'connect' }>,
  loaded: LoadedConfig,
): Promise<number> {
  switch (command.name) {
    case 'allow': {
      const { allow } = await import('./allow.js');
      return allow(loaded.config, command, print);
    }
    case 'deny': {
      const { deny } = await import('./allow.js');
      return deny(loaded.config, command.target, print);
    }
    case 'learn': {
      const { learn } = await import('./learn.js');
      return learn(loaded, command);
    }
    case 'run': {
      const { runConfined } = await import('./run.js');
      return runConfined(loaded, command);
    }
  }
}

function print(line: string): void {
  console.log(line);
}

async function printHash(): Promise<number> {
  const { hashGivenPassword } = await import('../users/hash-password.js');
  const result = await hashGivenPassword({ input: process.stdin, questions: process.stderr });
  if ('fault' in result) {
    process.stderr.write(`proxy-client: ${result.fault}\n`);
    return EXIT.failed;
  }
  print(result.hash);
  return EXIT.ok;
}
