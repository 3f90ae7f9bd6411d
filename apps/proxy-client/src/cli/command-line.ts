import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { MODES } from '../config/listener-setting.js';
import type { CommandLineOptions } from '../config/overrides.js';
import { parseTargetOrUndefined } from '../config/value-reader.js';
import { parseDuration } from '../config/value-reader.js';
import { isGrantDuration, parseGrantTarget } from '../routing/gate/grants.js';
import type { Target } from '../http/authority.js';

const MAX_PORT = 65_535;

const EXAMPLES = `
Examples:
  proxy-client                                  through socks5://127.0.0.1:1080, or as configured in ./proxy-client.yaml
  proxy-client --listen 8080 --upstream socks5://127.0.0.1:9050
  proxy-client --mode http --config work.yaml   with a configuration file in YAML or JSON
  PROXY_UPSTREAM=socks5://me:secret@host:1080 proxy-client      (other users can see a command line)
  proxy-client --mode mixed                     HTTP and SOCKS5 on one port
  proxy-client --mode tunnel --listen 5433 --to db.internal:5432 --via upstream
  proxy-client --explain 10.1.2.3:22 --user ci  which rule matches, and which upstream it selects
  proxy-client allow example.com:443 --for 1h   lets a proxy with "default: reject" pass it for an hour
  proxy-client learn -- npm ci                  writes the rules for what a command reaches
  proxy-client run -- npm ci                    runs a command that reaches only what the rules allow
  proxy-client --check example.com:443          tests the upstream: TCP, authentication, a connection to example.com:443

A small configuration file:
  upstream: { host: 127.0.0.1, port: 1080 }
  listen: { port: 8080 }

Then:
  curl --proxy http://127.0.0.1:8080 https://example.com/
  curl http://127.0.0.1:8080/stats

Options take precedence over the environment (PROXY_CONFIG, PROXY_MODE, PROXY_LOG_LEVEL, PROXY_LISTEN_HOST,
PROXY_LISTEN_PORT, PROXY_UPSTREAM, PROXY_ADMIN_PORT), and the environment over the file.

Exit codes: 0 success, 1 invalid configuration or failed start, 2 invalid command line;
with --check: 3 the upstream is unreachable, 4 it refused the proxy, 5 it cannot reach the target;
learn and run: that of the command.`;

/** The subcommands of the egress gate. */
export type GateCommand =
  | { readonly name: 'allow'; readonly target: string; readonly for: string }
  | { readonly name: 'deny'; readonly target: string }
  | ({ readonly name: 'learn'; readonly command: readonly string[]; readonly out: string } & SandboxOptions)
  | ({ readonly name: 'run'; readonly command: readonly string[]; readonly unattended?: boolean } & SandboxOptions)
  | {
      readonly name: 'connect';
      readonly host: string;
      readonly port: number;
      /** The URL of the proxy; absent: that of the environment. */
      readonly proxy?: string;
      /** A port of the loopback to listen on, instead of standard input and output. */
      readonly listen?: number;
    };

/** The options of the subcommands that run a command. */
interface SandboxOptions {
  readonly sandbox: boolean;
  /** Paths that the command may see in addition, each with `:rw` if it may change them. */
  readonly mount: readonly string[];
  readonly unixSockets: boolean;
  readonly userNamespaces: boolean;
}

/** The parsed command line. */
export interface CommandLine extends CommandLineOptions {
  /** The subcommand; absent: the proxy itself. */
  readonly gate?: GateCommand;
  /** Tests the upstream; `true` without a target. */
  readonly check?: Target | true;
  /** Prints the route of a request for this target. */
  readonly explain?: Target;
  /** The user of the request that {@link explain} is about. */
  readonly user?: string;
  /** Reloads when a file of the configuration changes. */
  readonly watch?: boolean;
  /** No person is there to answer requests that ask. */
  readonly unattended?: boolean;
  /** Prints the hash of a password. */
  readonly hashPassword?: boolean;
}

/**
 * Parses the command line. Prints help and version, and errors to standard error.
 *
 * @param argv - the arguments after the program's name
 * @returns the options; `done` after help or version, `invalid` after an error
 */
export function parseCommandLine(argv: readonly string[]): CommandLine | 'done' | 'invalid' {
  const command = createCommand();
  let gate: GateCommand | undefined;
  let chosen = command;
  addGateCommands(command, (subcommand, parsed) => {
    chosen = subcommand;
    gate = parsed;
  });
  try {
    command.parse(argv, { from: 'user' });
    const { config, upstream } = chosen.opts<CommandLineOptions>();
    const options: CommandLine = {
      ...command.opts<CommandLine>(),
      ...(config !== undefined && { config }),
      ...(upstream !== undefined && { upstream }),
      ...(gate && { gate }),
    };
    if (options.user !== undefined && options.explain === undefined) {
      command.error("error: option '--user <name>' requires '--explain <host:port>'.");
    }
    return options;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 'done' : 'invalid';
    throw error;
  }
}

function createCommand(): Command {
  return new Command('proxy-client')
    .description(
      'An HTTP proxy (plain HTTP and CONNECT) that sends everything through a SOCKS5 server or another HTTP proxy.',
    )
    .addOption(new Option('--mode <mode>', 'the protocol of the listener (default: "http")').choices(MODES))
    .option('--listen <[host:]port>', 'the address to listen on (default: "127.0.0.1:8080")', notEmpty)
    .option(
      '--upstream <url>',
      'socks5://host:port (or socks5+tls, http, https), or embedded (default: "socks5://127.0.0.1:1080")',
      notEmpty,
    )
    .option('--to <host:port>', 'with --mode tunnel: the target', notEmpty)
    .option('--via <name>', 'with --mode tunnel: the name of the upstream', notEmpty)
    .option(
      '--config <file>',
      'configuration file in YAML or JSON (default: ./proxy-client.yaml if it exists)',
      notEmpty,
    )
    .option(
      '--check [host:port]',
      'check the configuration, the upstream and, if given, a connection to a target; then exit',
      checkTarget,
    )
    .option(
      '--explain <host:port>',
      'print which rule matches a target and which upstream it selects; then exit',
      checkTarget,
    )
    .option('--user <name>', 'with --explain: the user of the request', notEmpty)
    .option('--watch', 'reload when the configuration file or a file that it names changes, not only on SIGHUP')
    .option('--unattended', 'refuse requests that would wait for the answer of a person')
    .option('--hash-password', 'prompt for a password, or read it from standard input, and print its hash for `users`')
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments(false)
    .enablePositionalOptions()
    .action(() => undefined)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => {
        const line = text
          .trim()
          .replaceAll('\n', ' ')
          .replace(/^error: /, '');
        write(`proxy-client: ${line}${/[.?)]$/.test(line) ? '' : '.'} See --help.\n`);
      },
    });
}

type ReportGateCommand = (subcommand: Command, parsed: GateCommand) => void;

const COMMAND = 'the command with its arguments, after --';

function addGateCommands(program: Command, report: ReportGateCommand): void {
  program
    .command('allow')
    .description('allow a target temporarily on a running proxy with `default: reject`')
    .argument('<host:port>', 'the target; the host may be *.name', grantTarget)
    .option('--for <duration>', 'from 1s to 24h', grantDuration, '1h')
    .option('--config <file>', 'the configuration of the proxy, for its admin listener', notEmpty)
    .action((target: string, { for: time }: { readonly for: string }, subcommand: Command) => {
      report(subcommand, { name: 'allow', target, for: time });
    });
  program
    .command('deny')
    .description('answer no for a target that waits on a running proxy with `default: ask`')
    .argument('<host:port>', 'the target', grantTarget)
    .option('--config <file>', 'the configuration of the proxy, for its admin listener', notEmpty)
    .action((target: string, _options: unknown, subcommand: Command) => {
      report(subcommand, { name: 'deny', target });
    });
  withCommand(program.command('learn'))
    .description('run a command through a proxy of its own, and write the rules for what it reached')
    .option('--out <file>', 'the new configuration file', notEmpty, 'proxy-client.learned.yaml')
    .action((command: string[], options: SandboxOptions & { readonly out: string }, subcommand: Command) => {
      report(subcommand, { name: 'learn', command, ...options });
    });
  withCommand(program.command('run'))
    .description('run a command that can reach only the targets that the rules allow (needs bwrap)')
    .option('--unattended', 'refuse requests that would wait for the answer of a person')
    .action((command: string[], options: SandboxOptions, subcommand: Command) => {
      report(subcommand, { name: 'run', command, ...options });
    });
  program
    .command('connect')
    .description('connect standard input and output with a target through a proxy, as a ProxyCommand of ssh')
    .argument('<host>', 'the host', notEmpty)
    .argument('<port>', 'the port', portNumber)
    .option('--proxy <url>', 'http://host:port (default: the variables https_proxy, http_proxy)', proxyUrl)
    .option('--listen <port>', 'serve a port of 127.0.0.1 instead, for programs without a proxy setting', portNumber)
    .action((host: string, port: number, options: { proxy?: string; listen?: number }, subcommand: Command) => {
      report(subcommand, { name: 'connect', host, port, ...options });
    });
}

/** Adds the argument and the options of a subcommand that runs a command. */
function withCommand(subcommand: Command): Command {
  return subcommand
    .argument('<command...>', COMMAND)
    .option('--config <file>', 'configuration file in YAML or JSON', notEmpty)
    .option('--upstream <url>', 'socks5://host:port, or embedded', notEmpty)
    .option('--mount <path>', 'a path that the command may read, or change with :rw; repeatable', collect, [])
    .option('--no-unix-sockets', 'the command cannot create Unix sockets, which browsers need')
    .option('--no-user-namespaces', 'the command cannot create user namespaces, which browsers need')
    .option('--no-sandbox', 'set the proxy variables only, which does not confine the command')
    .passThroughOptions();
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, notEmpty(value)];
}

function grantTarget(value: string): string {
  if (parseGrantTarget(value) !== undefined) return value;
  throw new InvalidArgumentError('It must be HOST:PORT, such as example.com:443, *.example.com:443 or [::1]:443.');
}

function grantDuration(value: string): string {
  const milliseconds = parseDuration(value);
  if (milliseconds !== undefined && isGrantDuration(milliseconds)) return value;
  throw new InvalidArgumentError('It must be a duration from 1s to 24h, such as 30m.');
}

function portNumber(value: string): number {
  const port = Number(value);
  if (/^\d{1,5}$/.test(value) && port >= 1 && port <= MAX_PORT) return port;
  throw new InvalidArgumentError(`It must be a port from 1 to ${MAX_PORT}.`);
}

function proxyUrl(value: string): string {
  if (/^http:\/\/(?:[^\s/@[\]]+|\[[\da-fA-F:.]+\]):\d{1,5}\/?$/.test(value) && URL.canParse(value)) return value;
  throw new InvalidArgumentError('It must be http://host:port.');
}

function notEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must not be empty.');
  return value;
}

function checkTarget(value: string): Target {
  const target = parseTargetOrUndefined(value);
  if (target === undefined) throw new InvalidArgumentError('It must be host:port, such as example.com:443.');
  return target;
}

function version(): string {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) return 'unknown';
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
