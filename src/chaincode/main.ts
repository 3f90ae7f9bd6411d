import { readFileSync, writeFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import type { ChaincodeServerOpts } from 'fabric-shim';
import { surviveClosedOutput } from '#logging';
import { ASSET_CONTRACT } from '#asset-contract';
import {
  ChaincodeCommandError,
  ChaincodeUsageError,
  nodePackage,
  servicePackage,
  type ChaincodePackage,
  type Contract,
} from '#contract-kit';
import { RECORDS_CONTRACT } from '#records-contract';

// `npm run chaincode -- serve | package`

/** The contracts by their names on the command line. */
const CONTRACTS = {
  assets: {
    contract: ASSET_CONTRACT,
    folder: 'peer',
    name: 'asset-contract',
    description: 'Assets on a Fabric channel',
  },
  records: {
    contract: RECORDS_CONTRACT,
    folder: 'peer-records',
    name: 'records-contract',
    description: 'Records of your own types on a Fabric channel',
  },
} as const satisfies Readonly<
  Record<string, Readonly<{ contract: Contract; folder: string; name: string; description: string }>>
>;

interface ServeArguments {
  readonly contract: keyof typeof CONTRACTS;
  readonly id?: string;
  readonly address: string;
  readonly tlsKey?: string;
  readonly tlsCert?: string;
  readonly clientCa?: string;
}

interface PackageArguments {
  readonly contract: keyof typeof CONTRACTS;
  readonly label: string;
  readonly type: 'ccaas' | 'node';
  readonly out: string;
  readonly address?: string;
  readonly rootCert?: string;
  readonly clientKey?: string;
  readonly clientCert?: string;
}

/** Disables gRPC's limit of 4 MB for a message, which peers may exceed; pings keep idle connections through firewalls. */
const GRPC_OPTIONS = {
  'grpc.max_send_message_length': -1,
  'grpc.max_receive_message_length': -1,
  'grpc.keepalive_time_ms': 110_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.keepalive_permit_without_calls': 1,
} as const;

const DEFAULT_ADDRESS = '127.0.0.1:7052';

function program(): Command {
  const cli = new Command('chaincode')
    .description('The contracts of assets and of records for the peers of a Fabric network')
    .configureOutput({
      outputError: (text, write) => {
        write(text.replace(/^error: /, 'chaincode: '));
      },
    })
    .exitOverride();
  cli
    .command('serve', { isDefault: true })
    .description('serve a contract as a service that peers connect to (chaincode as a service)')
    .addOption(contractOption())
    .addOption(
      new Option('--id <label:hash>', 'package id that the peer printed when it installed').env('CHAINCODE_ID'),
    )
    .addOption(
      new Option('--address <host:port>', 'listen there').env('CHAINCODE_SERVER_ADDRESS').default(DEFAULT_ADDRESS),
    )
    .addOption(new Option('--tls-key <file>', 'PEM key of the service').env('CHAINCODE_TLS_KEY'))
    .addOption(new Option('--tls-cert <file>', 'PEM certificate of the service').env('CHAINCODE_TLS_CERT'))
    .addOption(
      new Option('--client-ca <file>', 'PEM roots; peers must show a certificate').env('CHAINCODE_CLIENT_CA_CERT'),
    )
    .action(serve);
  cli
    .command('package')
    .description('write the archive that `peer lifecycle chaincode install` accepts, and print its package id')
    .addOption(contractOption())
    .option('--label <label>', 'label of the package', 'basic_1.0')
    .addOption(
      new Option('--type <type>', 'ccaas: the address of the service; node: the program itself')
        .choices(['ccaas', 'node'])
        .default('ccaas'),
    )
    .option('--out <file>', 'write there', 'basic.tgz')
    .option('--address <host:port>', `ccaas: where the peer reaches the service (default ${DEFAULT_ADDRESS})`)
    .option('--root-cert <file>', 'ccaas: PEM roots of the service; the peer then requires TLS')
    .option('--client-key <file>', 'ccaas: PEM key that the peer shows to the service')
    .option('--client-cert <file>', 'ccaas: PEM certificate that the peer shows to the service')
    .action(writePackage);
  return cli;
}

function contractOption(): Option {
  return new Option('--contract <name>', 'which contract').choices(Object.keys(CONTRACTS)).default('assets');
}

/** Serves a contract to every peer that connects (chaincode as a service). */
async function serve(options: ServeArguments): Promise<void> {
  const { id, address, contract } = options;
  if (id === undefined || id === '') {
    throw new ChaincodeUsageError(
      '--id (or CHAINCODE_ID) is missing: set it to the package id that `peer lifecycle chaincode install` printed',
    );
  }
  const tlsProps = serviceTls(options);
  // The types require tlsProps and its parts, the code does not.
  const server = { ...GRPC_OPTIONS, ccid: id, address, tlsProps } as ChaincodeServerOpts;
  // gRPC takes 0.2 s of CPU to load, which only a service needs.
  const [{ default: shim }, { chaincodeOf }] = await Promise.all([import('fabric-shim'), import('#contract-kit/peer')]);
  try {
    await shim.Shim.server(chaincodeOf(CONTRACTS[contract].contract), server).start();
  } catch (cause) {
    throw new ChaincodeCommandError(`cannot listen on ${address}: ${(cause as Error).message}`, { cause });
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Calls in flight fail for their callers, who may try again: nothing was ordered yet.
    process.on(signal, () => process.exit(0));
  }
  process.stdout.write(`${id} listens on ${address}${tlsProps === undefined ? '' : ' with TLS'}\n`);
}

function serviceTls({
  tlsKey,
  tlsCert,
  clientCa,
}: ServeArguments): Partial<ChaincodeServerOpts['tlsProps']> | undefined {
  if (tlsKey === undefined && tlsCert === undefined && clientCa === undefined) return undefined;
  if (tlsKey === undefined || tlsCert === undefined) {
    throw new ChaincodeUsageError('TLS needs both --tls-key and --tls-cert');
  }
  return {
    key: read('--tls-key', tlsKey),
    cert: read('--tls-cert', tlsCert),
    ...(clientCa !== undefined && { clientCACerts: read('--client-ca', clientCa) }),
  };
}

function writePackage(options: PackageArguments): void {
  const { id, archive } = options.type === 'node' ? makeNodePackage(options) : makeServicePackage(options);
  try {
    writeFileSync(options.out, archive);
  } catch (cause) {
    throw new ChaincodeCommandError(`--out ${options.out} cannot be written: ${(cause as Error).message}`, { cause });
  }
  process.stdout.write(`${id}\n`);
}

function makeNodePackage({
  contract,
  label,
  address,
  rootCert,
  clientKey,
  clientCert,
}: PackageArguments): ChaincodePackage {
  if ((address ?? rootCert ?? clientKey ?? clientCert) !== undefined) {
    throw new ChaincodeUsageError('--address, --root-cert, --client-key and --client-cert belong to --type ccaas');
  }
  const { folder, name, description } = CONTRACTS[contract];
  return nodePackage(label, {
    name,
    description,
    program: readFileSync(new URL(`./${folder}/start.js`, import.meta.url), 'utf8'),
  });
}

function makeServicePackage(options: PackageArguments): ChaincodePackage {
  const { label, address = DEFAULT_ADDRESS, rootCert, clientKey, clientCert } = options;
  if (rootCert === undefined) {
    if ((clientKey ?? clientCert) === undefined) return servicePackage(label, { address });
    throw new ChaincodeUsageError('--client-key and --client-cert need --root-cert: TLS');
  }
  const tls = { rootCert: read('--root-cert', rootCert).toString() };
  if (clientKey === undefined && clientCert === undefined) return servicePackage(label, { address, tls });
  if (clientKey === undefined || clientCert === undefined) {
    throw new ChaincodeUsageError('--client-key and --client-cert go together');
  }
  const client = {
    key: read('--client-key', clientKey).toString(),
    cert: read('--client-cert', clientCert).toString(),
  };
  return servicePackage(label, { address, tls: { ...tls, client } });
}

function read(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new ChaincodeCommandError(`${option} ${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

surviveClosedOutput('chaincode');
try {
  await program().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else if (error instanceof ChaincodeCommandError) {
    process.stderr.write(`chaincode: ${error.message}\n`);
    process.exitCode = error instanceof ChaincodeUsageError ? 2 : 1;
  } else {
    throw error;
  }
}
