import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { installedVersion, LedgerError, toolCommand } from '#ledger-gateway';
import { InvalidEnvironmentError } from '../../../apps/ledger-api/src/config/variables.js';
import { IdentityCommands, type IdentityOptions } from './identity-commands.js';
import { loadIdentityConfig } from './identity-config.js';
import { IdentityError } from './identity-store.js';

/** Exit codes of the program. */
const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/**
 * Runs one command on identities.
 * @param argv - the arguments after the program's name
 * @returns the exit code
 */
export async function runCli(argv: readonly string[] = process.argv.slice(2)): Promise<number> {
  try {
    await createProgram().parseAsync(argv, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const isKnown = [LedgerError, IdentityError, InvalidEnvironmentError].some((type) => error instanceof type);
    if (!isKnown) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    return EXIT.failed;
  }
}

type Method = 'enroll' | 'register' | 'reenroll' | 'list' | 'importPem';

function createProgram(): Command {
  const program = new Command(toolCommand('identity'))
    .description('Manages identities for a Fabric network: from a Fabric CA, in a wallet or in PEM files.')
    .version(installedVersion(), '--version', 'prints the version')
    .addHelpText(
      'after',
      '\nSecrets come from --secret-file, from FABRIC_CA_SECRET, or are prompted for; never from the command line.' +
        '\nThe API uses a renewed identity without a restart.\nExit codes: 0 success, 1 failure, 2 command line.',
    )
    .exitOverride();
  const add = (name: string, description: string, method: Method): Command =>
    withWallet(program.command(name).exitOverride().description(description)).action(async (options: IdentityOptions) =>
      createCommands()[method](options),
    );

  withCa(add('enroll', 'obtains a certificate and a key for a registered identity', 'enroll'))
    .requiredOption('--id <id>', 'id that is registered at the CA')
    .option('--secret-file <file>', 'file that contains the secret');
  withCa(add('register', 'registers an identity at the CA and stores its secret', 'register'))
    .requiredOption('--id <id>', 'id of the new identity')
    .requiredOption('--secret-out <file>', 'new file for the secret that the CA generates')
    .option('--role <role>', 'client, peer, orderer or admin', 'client')
    .option('--affiliation <name>', 'such as org1.department1')
    .option('--max-enrollments <count>', 'how often the secret may be used; -1 is unlimited', wholeNumber, -1);
  withCa(add('reenroll', 'renews the certificate of an identity, with a new key', 'reenroll'));
  add('list', 'lists the identities and when their certificates expire', 'list');
  add('import', 'imports a certificate and a key from PEM files into the wallet', 'importPem')
    .requiredOption('--from-cert <file>', 'PEM file with the certificate')
    .requiredOption('--from-key <file>', 'PEM file with its private key');
  return program;
}

/** Created by commands only: `--help` and `--version` need no valid configuration. */
function createCommands(): IdentityCommands {
  return new IdentityCommands({
    config: loadIdentityConfig(),
    print: (line) => {
      process.stdout.write(`${line}\n`);
    },
    input: process.stdin,
    output: process.stderr,
  });
}

function withWallet(command: Command): Command {
  return command
    .option('--name <name>', 'name in the wallet; default: the id')
    .option('--wallet <directory>', 'wallet; default: FABRIC_WALLET_DIR')
    .option('--cert <file>', 'PEM file instead of a wallet; together with --key')
    .option('--key <file>', 'PEM file with the private key')
    .option('--msp <id>', 'MSP id of the organization; default: LEDGER_MSP_ID');
}

function withCa(command: Command): Command {
  return command
    .option('--profile <file>', 'connection profile that names the CA; default: FABRIC_CONNECTION_PROFILE')
    .option('--ca-name <name>', 'name of the CA in the profile; default: FABRIC_CA_NAME')
    .option('--url <url>', 'URL of the CA instead of a profile')
    .option('--tls-root <file>', 'PEM file with the TLS root of the CA');
}

function wholeNumber(text: string): number {
  if (/^(-1|[1-9]\d{0,8})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number above 0, or -1.');
}
