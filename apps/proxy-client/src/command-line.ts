import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { MODES } from './config/listener-setting.js';
import type { CommandLineOptions } from './config/overrides.js';
import { readTarget } from './config/upstream-setting.js';
import type { Target } from './http/authority.js';

const EXAMPLES = `
Examples:
  proxy-client                                  through socks5://127.0.0.1:1080, or as configured in ./proxy-client.yaml
  proxy-client --listen 8080 --upstream socks5://127.0.0.1:9050
  proxy-client --mode http --config work.yaml   with a configuration file in YAML or JSON
  PROXY_UPSTREAM=socks5://me:secret@host:1080 proxy-client      (other users can see a command line)
  proxy-client --mode mixed                     HTTP and SOCKS5 on one port
  proxy-client --mode tunnel --listen 5433 --to db.internal:5432 --via upstream
  proxy-client --explain 10.1.2.3:22 --user ci  which rule matches, and which upstream it selects
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
with --check: 3 the upstream is unreachable, 4 it refused the proxy, 5 it cannot reach the target.`;

/** The parsed command line. */
export interface CommandLine extends CommandLineOptions {
  /** Tests the upstream; `true` without a target. */
  readonly check?: Target | true;
  /** Prints the route of a request for this target. */
  readonly explain?: Target;
  /** The user of the request that {@link explain} is about. */
  readonly user?: string;
  /** Reloads when a file of the configuration changes. */
  readonly watch?: boolean;
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
  try {
    const options = command.parse(argv, { from: 'user' }).opts<CommandLine>();
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
    .option('--hash-password', 'prompt for a password, or read it from standard input, and print its hash for `users`')
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => {
        write(
          `proxy-client: ${text
            .trim()
            .replaceAll('\n', ' ')
            .replace(/^error: /, '')} See --help.\n`,
        );
      },
    });
}

function notEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must not be empty.');
  return value;
}

function checkTarget(value: string): Target {
  const target = readTarget(value);
  if (target === undefined) throw new InvalidArgumentError('It must be host:port, such as example.com:443.');
  return target;
}

function version(): string {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) return 'unknown';
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
