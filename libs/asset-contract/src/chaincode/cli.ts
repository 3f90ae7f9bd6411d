import { readFileSync, writeFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { ChaincodeCommandError } from './chaincode.errors.js';
import { nodePackage, nodePackageFiles, servicePackage, type ChaincodePackage } from './chaincode-package.js';
import { serveChaincode, type ChaincodeTls } from './serve-chaincode.js';

interface ServeArguments {
  readonly id?: string;
  readonly address: string;
  readonly tlsKey?: string;
  readonly tlsCert?: string;
  readonly clientCa?: string;
}

interface PackageArguments {
  readonly label: string;
  readonly type: 'ccaas' | 'node';
  readonly out: string;
  readonly address?: string;
  readonly rootCert?: string;
  readonly clientKey?: string;
  readonly clientCert?: string;
}

/**
 * `npm run chaincode -- serve | package`.
 * @returns the exit code; undefined while the service goes on
 */
export async function runCli(): Promise<number | undefined> {
  try {
    await program().parseAsync(process.argv);
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof ChaincodeCommandError)) throw error;
    process.stderr.write(`chaincode: ${error.message}\n`);
    return 1;
  }
}

function program(): Command {
  const cli = new Command('chaincode')
    .description('The asset contract for the peers of a Fabric network')
    .exitOverride();
  cli.addCommand(serveCommand(), { isDefault: true });
  cli.addCommand(packageCommand());
  return cli;
}

function serveCommand(): Command {
  return new Command('serve')
    .description('serve the contract as a service that peers connect to (chaincode as a service)')
    .addOption(
      new Option('--id <label:hash>', 'package id that the peer printed when it installed').env('CHAINCODE_ID'),
    )
    .addOption(
      new Option('--address <host:port>', 'listen there').env('CHAINCODE_SERVER_ADDRESS').default('127.0.0.1:7052'),
    )
    .addOption(new Option('--tls-key <file>', 'PEM key of the service').env('CHAINCODE_TLS_KEY'))
    .addOption(new Option('--tls-cert <file>', 'PEM certificate of the service').env('CHAINCODE_TLS_CERT'))
    .addOption(
      new Option('--client-ca <file>', 'PEM roots; peers must show a certificate').env('CHAINCODE_CLIENT_CA_CERT'),
    )
    .exitOverride()
    .action(serve);
}

function packageCommand(): Command {
  return new Command('package')
    .description('write the archive that `peer lifecycle chaincode install` takes, and print its package id')
    .option('--label <label>', 'label of the package', 'basic_1.0')
    .addOption(
      new Option('--type <type>', 'ccaas: the address of the service; node: the program itself')
        .choices(['ccaas', 'node'])
        .default('ccaas'),
    )
    .option('--out <file>', 'write there', 'basic.tgz')
    .option('--address <host:port>', 'ccaas: where the peer reaches the service (default 127.0.0.1:7052)')
    .option('--root-cert <file>', 'ccaas: PEM roots of the service; the peer then asks for TLS')
    .option('--client-key <file>', 'ccaas: PEM key that the peer shows to the service')
    .option('--client-cert <file>', 'ccaas: PEM certificate that the peer shows to the service')
    .exitOverride()
    .action(writePackage);
}

async function serve(options: ServeArguments): Promise<void> {
  const { id, address } = options;
  if (id === undefined || id === '') {
    throw bad('--id (or CHAINCODE_ID) is missing: give the package id that `peer lifecycle chaincode install` printed');
  }
  const tls = serviceTls(options);
  await serveChaincode({ id, address, ...(tls && { tls }) });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Whatever is being endorsed fails for its caller, who may try again: nothing was ordered yet.
    process.on(signal, () => process.exit(0));
  }
  process.stdout.write(`${id} listens on ${address}${tls === undefined ? '' : ' with TLS'}\n`);
}

function serviceTls({ tlsKey, tlsCert, clientCa }: ServeArguments): ChaincodeTls | undefined {
  if (tlsKey === undefined && tlsCert === undefined && clientCa === undefined) return undefined;
  if (tlsKey === undefined || tlsCert === undefined) throw bad('TLS needs both --tls-key and --tls-cert');
  const own = { key: read('--tls-key', tlsKey), cert: read('--tls-cert', tlsCert) };
  return clientCa === undefined ? own : { ...own, clientCa: read('--client-ca', clientCa) };
}

function writePackage(options: PackageArguments): void {
  const made = options.type === 'node' ? makeNodePackage(options) : makeServicePackage(options);
  try {
    writeFileSync(options.out, made.archive);
  } catch (cause) {
    throw bad(`--out ${options.out} cannot be written: ${(cause as Error).message}`, cause);
  }
  process.stdout.write(`${made.id}\n`);
}

function makeNodePackage(options: PackageArguments): ChaincodePackage {
  const { address, rootCert, clientKey, clientCert } = options;
  if ((address ?? rootCert ?? clientKey ?? clientCert) !== undefined) {
    throw bad('--address, --root-cert, --client-key and --client-cert belong to --type ccaas');
  }
  return nodePackage(
    options.label,
    nodePackageFiles(readFileSync(new URL('./peer/start.js', import.meta.url), 'utf8')),
  );
}

function makeServicePackage({ label, address, rootCert, clientKey, clientCert }: PackageArguments): ChaincodePackage {
  const to = { address: address ?? '127.0.0.1:7052' };
  if (rootCert === undefined) {
    if ((clientKey ?? clientCert) !== undefined) throw bad('--client-key and --client-cert need --root-cert: TLS');
    return servicePackage(label, to);
  }
  const tls = { rootCert: read('--root-cert', rootCert).toString() };
  if (clientKey === undefined && clientCert === undefined) return servicePackage(label, { ...to, tls });
  if (clientKey === undefined || clientCert === undefined) throw bad('--client-key and --client-cert go together');
  const client = {
    key: read('--client-key', clientKey).toString(),
    cert: read('--client-cert', clientCert).toString(),
  };
  return servicePackage(label, { ...to, tls: { ...tls, client } });
}

function read(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw bad(`${option} ${file} cannot be read: ${(cause as Error).message}`, cause);
  }
}

function bad(message: string, cause?: unknown): ChaincodeCommandError {
  return new ChaincodeCommandError('CHAINCODE.BAD_OPTION', message, { cause });
}
