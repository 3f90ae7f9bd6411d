import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { parseCheckTarget } from './check/check-upstream.js';
import type { CommandLineOptions } from './config/options.js';
import type { Target } from './http/authority.js';

const EXAMPLES = `
Examples:
  proxy-client                                  through socks5://127.0.0.1:1080, or as proxy-client.yaml here says
  proxy-client --listen 8080 --upstream socks5://127.0.0.1:9050
  proxy-client --mode http --config work.yaml   with a configuration file in YAML or JSON
  PROXY_UPSTREAM=socks5://me:secret@host:1080 proxy-client      (on the command line others would see the password)
  proxy-client --mode mixed                     HTTP and SOCKS5 on one port
  proxy-client --mode tunnel --listen 5433 --to db.internal:5432 --via upstream
  proxy-client --explain 10.1.2.3:22 --user ci  which rule fits, and where that leads
  proxy-client --check example.com:443          try the upstream: TCP, authentication, a connection to example.com:443

A small configuration file:
  upstream: { host: 127.0.0.1, port: 1080 }
  listen: { port: 8080 }

Then:
  curl --proxy http://127.0.0.1:8080 https://example.com/
  curl http://127.0.0.1:8080/stats

Options win over the environment (PROXY_CONFIG, PROXY_MODE, PROXY_LOG_LEVEL, PROXY_LISTEN_HOST, PROXY_LISTEN_PORT,
PROXY_UPSTREAM, PROXY_ADMIN_PORT), and that wins over the file.

Exit codes: 0 ended as asked, 1 configuration or start failed, 2 command line;
with --check: 3 the upstream cannot be reached, 4 it refused us, 5 it cannot reach the target.`;

/** What the command line asks for. */
export interface CommandLine extends CommandLineOptions {
  /** Try the upstream and end; `true` when it came without a target. */
  readonly check?: Target | true;
  /** Say which way a request for this target would take, and end. */
  readonly explain?: Target;
  /** For {@link explain}: who asks. */
  readonly user?: string;
  /** Reload when a file of the configuration changes. */
  readonly watch?: boolean;
  /** Print the hash of a password and end. */
  readonly hashPassword?: boolean;
}

/**
 * Reads the command line. Help and version are printed, and what is wrong is told on standard error.
 *
 * @param argv - the arguments behind the program's name
 * @returns what to do, or `done` when help or version was asked for, or `wrong`
 */
export function readCommandLine(argv: readonly string[]): CommandLine | 'done' | 'wrong' {
  const command = createCommand();
  try {
    const read = command.parse(argv, { from: 'user' }).opts<CommandLine>();
    if (read.user !== undefined && read.explain === undefined) {
      command.error("error: option '--user <name>' means something with '--explain <host:port>' only.");
    }
    return read;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 'done' : 'wrong';
    throw error;
  }
}

function createCommand(): Command {
  return new Command('proxy-client')
    .description('An HTTP proxy (plain HTTP and CONNECT) that sends everything through a SOCKS5 server.')
    .addOption(
      new Option('--mode <mode>', 'what the listener speaks (default: "http")').choices([
        'http',
        'socks5',
        'mixed',
        'tunnel',
      ]),
    )
    .option('--listen <[host:]port>', 'where to listen (default: "127.0.0.1:8080")', notEmpty)
    .option('--upstream <url>', 'socks5://host:port, or embedded (default: "socks5://127.0.0.1:1080")', notEmpty)
    .option('--to <host:port>', 'with --mode tunnel: where it leads', notEmpty)
    .option('--via <name>', 'with --mode tunnel: the name of the upstream it takes', notEmpty)
    .option(
      '--config <file>',
      'configuration file in YAML or JSON (default: proxy-client.yaml, if it is here)',
      notEmpty,
    )
    .option(
      '--check [host:port]',
      'check the configuration and try the upstream, with a target also beyond it; then end',
      checkTarget,
    )
    .option('--explain <host:port>', 'say which rule fits a target and which way it takes; then end', checkTarget)
    .option('--user <name>', 'with --explain: who asks', notEmpty)
    .option('--watch', 'reload when the configuration file, or a file that it names, changes; SIGHUP does so too')
    .option(
      '--hash-password',
      'ask for a password, or read it from standard input, and print what `users` takes for it',
    )
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
  const target = parseCheckTarget(value);
  if (target === undefined) throw new InvalidArgumentError('It must be host:port, such as example.com:443.');
  return target;
}

function version(): string {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) return 'unknown';
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
