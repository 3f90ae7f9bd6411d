import { Command, InvalidArgumentError } from 'commander';
import { installedVersion, toolCommand } from '#files';
import { enroll, importPem, list, reenroll, register } from './identity-commands.js';

/** Creates the commands of `npm run identity`. */
export function createProgram(): Command {
  const program = new Command(toolCommand('identity'))
    .description('Manages identities for a Fabric network: from a Fabric CA, in a wallet or in PEM files.')
    .version(installedVersion(), '--version', 'prints the version')
    .addHelpText(
      'after',
      '\nSecrets come from --secret-file, from FABRIC_CA_SECRET, or are prompted for; never from the command line.' +
        '\nThe API uses a renewed identity without a restart.\nExit codes: 0 success, 1 failure, 2 command line.',
    )
    .exitOverride();
  const add = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option('--name <name>', 'name in the wallet; default: the id')
      .option('--wallet <directory>', 'wallet; default: FABRIC_WALLET_DIR')
      .option('--cert <file>', 'PEM file instead of a wallet; together with --key')
      .option('--key <file>', 'PEM file with the private key')
      .option('--msp <id>', 'MSP id of the organization; default: LEDGER_MSP_ID');
  const addWithCa = (name: string, description: string): Command =>
    add(name, description)
      .option('--profile <file>', 'connection profile that names the CA; default: FABRIC_CONNECTION_PROFILE')
      .option('--ca-name <name>', 'name of the CA in the profile; default: FABRIC_CA_NAME')
      .option('--url <url>', 'URL of the CA instead of a profile')
      .option('--tls-root <file>', 'PEM file with the TLS root of the CA');

  addWithCa('enroll', 'obtains a certificate and a key for a registered identity')
    .requiredOption('--id <id>', 'id that is registered at the CA')
    .option('--secret-file <file>', 'file that contains the secret')
    .action(enroll);
  addWithCa('register', 'registers an identity at the CA and stores its secret')
    .requiredOption('--id <id>', 'id of the new identity')
    .requiredOption('--secret-out <file>', 'new file for the secret that the CA generates')
    .option('--role <role>', 'client, peer, orderer or admin', 'client')
    .option('--affiliation <name>', 'such as org1.department1')
    .option('--max-enrollments <count>', 'how often the secret may be used; -1 is unlimited', wholeNumber, -1)
    .action(register);
  addWithCa('reenroll', 'renews the certificate of an identity, with a new key').action(reenroll);
  add('list', 'lists the identities and when their certificates expire').action(list);
  add('import', 'imports a certificate and a key from PEM files into the wallet')
    .requiredOption('--from-cert <file>', 'PEM file with the certificate')
    .requiredOption('--from-key <file>', 'PEM file with its private key')
    .action(importPem);
  return program;
}

function wholeNumber(text: string): number {
  if (/^(-1|[1-9]\d{0,8})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number above 0, or -1.');
}
