import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { LedgerError } from '#ledger-gateway';
import { InvalidEnvironmentError } from '../../../apps/ledger-api/src/config/variables.js';
import { IdentityCommands, type IdentityOptions } from './identity-commands.js';
import { loadIdentityConfig } from './identity-config.js';
import { IdentityError } from './identity-store.js';

/** How the program ends. */
const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/**
 * `npm run identity -- enroll | register | reenroll | list | import`
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

function createProgram(): Command {
  const commands = new IdentityCommands({
    config: loadIdentityConfig(),
    print: (line) => {
      process.stdout.write(`${line}\n`);
    },
    input: process.stdin,
    output: process.stderr,
  });
  const program = new Command('identity')
    .description('Identities that sign on a Fabric network: from a Fabric CA, in a wallet or in PEM files.')
    .addHelpText(
      'after',
      '\nSecrets come from --secret-file, from FABRIC_CA_SECRET, or are asked for; never from the command line.' +
        '\nThe API takes a replaced identity without a restart.\nExit codes: 0 done, 1 failed, 2 command line.',
    )
    .exitOverride();
  const add = (name: string, description: string, run: (options: IdentityOptions) => Promise<void>): Command =>
    kept(program.command(name).exitOverride().description(description)).action(run);

  withCa(add('enroll', 'gets a certificate and a key for a registered identity', (it) => commands.enroll(it)))
    .requiredOption('--id <id>', 'id that the CA knows')
    .option('--secret-file <file>', 'file that holds the secret');
  withCa(add('register', 'makes an identity known to the CA and gets its secret', (it) => commands.register(it)))
    .requiredOption('--id <id>', 'id of the new identity')
    .requiredOption('--secret-out <file>', 'new file for the secret that the CA makes')
    .option('--role <role>', 'client, peer, orderer or admin', 'client')
    .option('--affiliation <name>', 'such as org1.department1')
    .option('--max-enrollments <count>', 'how often the secret may be used; -1 is without limit', wholeNumber, -1);
  withCa(add('reenroll', 'replaces an identity by a renewed one with a new key', (it) => commands.reenroll(it)));
  add('list', 'shows who is kept and how long they are valid', (it) => commands.list(it));
  add('import', 'puts a certificate and a key from PEM files into the wallet', (it) => commands.importPem(it))
    .requiredOption('--from-cert <file>', 'PEM file with the certificate')
    .requiredOption('--from-key <file>', 'PEM file with its private key');
  return program;
}

function kept(command: Command): Command {
  return command
    .option('--name <name>', 'name in the wallet; without it the id')
    .option('--wallet <directory>', 'wallet; without it FABRIC_WALLET_DIR')
    .option('--cert <file>', 'PEM file instead of a wallet; together with --key')
    .option('--key <file>', 'PEM file with the private key')
    .option('--msp <id>', 'MSP of the organisation; without it LEDGER_MSP_ID');
}

function withCa(command: Command): Command {
  return command
    .option('--profile <file>', 'connection profile that names the CA; without it FABRIC_CONNECTION_PROFILE')
    .option('--ca-name <name>', 'which CA; without it FABRIC_CA_NAME')
    .option('--url <url>', 'URL of the CA instead of a profile')
    .option('--tls-root <file>', 'PEM file with the TLS root of the CA');
}

function wholeNumber(text: string): number {
  if (/^(-1|[1-9]\d{0,8})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number above 0, or -1.');
}
