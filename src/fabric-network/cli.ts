import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { notify, print } from '../tools/command-line.js';
import { FabricNetworkError } from './processes.js';
import { findRelease } from './find-binaries.js';
import {
  chaincodesOf,
  channelsOf,
  layoutOf,
  makePlan,
  type NetworkPlan,
  type PlanOptions,
  requireSamePlan,
} from './network-plan.js';
import { down, readRecord, status, type NetworkRecord, type NetworkStatus } from './network-record.js';
import { up } from './up.js';

/** As of service managers: the service is not running. */
const EXIT_NOT_RUNNING = 3;
const DEFAULT_CHANNELS: readonly string[] = ['mychannel'];
const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

/** Creates `npm run fabric -- up | down | status`. */
export function createProgram(): Command {
  const program = new Command('fabric')
    .description('A Hyperledger Fabric network on this machine, without containers')
    .exitOverride();
  addUp(program);
  withDirectory(program.command('down'))
    .description('stops the processes that `up` started')
    .option('--remove-data', 'also removes the network: channel, certificates, wallet')
    .action(runDown);
  withDirectory(program.command('status'))
    .description('shows the state of each part of the network')
    .option('--json', 'as JSON')
    .action(runStatus);
  return program;
}

interface Options {
  readonly dir: string;
}

function withDirectory(command: Command): Command {
  return command.option(
    '--dir <folder>',
    'the directory of the network',
    (text) => resolve(text),
    resolve('data/fabric'),
  );
}

/** The patterns are those of Fabric's own checks, and of Go's durations as far as a batch timeout needs them. */
function addUp(program: Command): void {
  withDirectory(program.command('up'))
    .description('makes a network, or starts an existing one again')
    .option('--first-port <port>', 'first of seven ports in a row; 0: any free ones', wholeNumber(0, 65529), 7050)
    .option(
      '--channel <name>',
      'channel; repeated for several, the first of which is the default one',
      several(matching(/^[a-z][a-z0-9.-]{0,248}$/, 'lower-case letters, digits, . and -, a letter first')),
      DEFAULT_CHANNELS,
    )
    .option(
      '--chaincode-name <name>',
      'name of the chaincode',
      matching(/^[a-zA-Z0-9]+([-_][a-zA-Z0-9]+)*$/, 'letters and digits, with - or _ between them'),
      'basic',
    )
    .option(
      '--chaincode-version <version>',
      'its version',
      matching(/^[A-Za-z0-9_.+-]+$/, 'letters, digits and _ . + -'),
      '1.0',
    )
    .option(
      '--chaincode-command <command>',
      'shell command that serves another chaincode, by CHAINCODE_ID and CHAINCODE_SERVER_ADDRESS',
    )
    .option('--chaincode-dir <folder>', 'working directory of that command', (text) => resolve(text))
    .option('--chaincode-tls', 'TLS between peers and chaincode, both ways', false)
    // This project's chaincode has the function, and so have the samples.
    .option('--probe <call>', 'call that checks that the chaincode responds', 'AssetExists probe')
    .option('--no-probe', 'does not wait until the chaincode responds')
    .option(
      '--batch-timeout <duration>',
      'longest wait before a block is cut',
      matching(/^[0-9]+(\.[0-9]+)?(ms|s|m)$/, 'a duration such as 200ms or 2s'),
      '200ms',
    )
    .option('--batch-size <count>', 'most transactions in a block', wholeNumber(1, 100_000), 100)
    .option('--no-ca', 'no certificate authority for Org1, even if fabric-ca-server is there')
    .action(runUp);
}

function matching(pattern: RegExp, description: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new InvalidArgumentError(`Use ${description}.`);
  };
}

/** Collects the values of a repeated option, instead of its default. */
function several(parse: (text: string) => string): (text: string, previous: readonly string[]) => readonly string[] {
  return (text, previous) => [...(previous === DEFAULT_CHANNELS ? [] : previous), parse(text)];
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };
}

async function runUp({ dir, ...options }: Options & PlanOptions, command: Command): Promise<void> {
  const started = performance.now();
  if (options.chaincodeDir !== undefined && options.chaincodeCommand === undefined) {
    command.error('error: --chaincode-dir requires --chaincode-command');
  }
  const release = findRelease(process.env);
  const hasCa = release.binaries.ca !== undefined;
  const existing = readRecord(layoutOf(dir).record);
  const given = Object.entries(options).filter(([name]) => command.getOptionValueSource(name) === 'cli');
  const plan =
    existing?.state === 'ready'
      ? requireSamePlan(existing.plan, Object.fromEntries(given))
      : await makePlan(dir, { ...options, ca: options.ca && hasCa });
  const record = await up(plan, {
    release,
    environment: inheritedEnvironment(),
    signal: abortedBySignals(),
    progress: (text) => {
      print(`${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s  ${text}`);
    },
  });
  if (options.ca && !hasCa) print('No CA: fabric-ca-server was not found.');
  print(summary(record));
}

async function runDown({ dir, removeData }: Options & { readonly removeData?: true }): Promise<void> {
  const stopped = await down(dir, removeData === true);
  if (stopped === undefined) {
    print(`No network in ${dir}.`);
    return;
  }
  const what = stopped.length === 0 ? 'Nothing ran' : `Ended ${stopped.join(', ')}`;
  print(`${what}; ${removeData === true ? `removed ${dir}` : `its data stays in ${dir}`}.`);
}

async function runStatus({ dir, json }: Options & { readonly json?: true }): Promise<void> {
  const found = await status(dir);
  if (found?.isUp !== true) process.exitCode = EXIT_NOT_RUNNING;
  if (json === true) print(JSON.stringify(found ?? null, undefined, 2));
  else print(found === undefined ? `No network in ${dir}.` : statusTable(found));
}

function statusTable({ record, components }: NetworkStatus): string {
  const { plan, fabricVersion, state } = record;
  const rows = components.map(({ name, state: is, pid = '-', addresses, log }) =>
    [name.padEnd(10), is.padEnd(7), String(pid).padEnd(8), addresses.join(' '), is === 'up' ? '' : log]
      .join(' ')
      .trimEnd(),
  );
  const unfinished = state === 'ready' ? '' : ', unfinished';
  return [`Fabric ${fabricVersion} in ${plan.directory}${unfinished}: ${namesOf(plan)}`, ...rows].join('\n');
}

function namesOf(plan: NetworkPlan): string {
  const chaincodes = chaincodesOf(plan).map(({ plan: { name, version } }) => `${name} ${version}`);
  return [channelsOf(plan).join(', '), ...chaincodes].join(', ');
}

function summary({ plan, fabricVersion }: NetworkRecord): string {
  const { directory, ports } = plan;
  return [
    '',
    `Fabric ${fabricVersion}: ${namesOf(plan)}, Org1's peer on localhost:${ports.peerOrg1}.`,
    `  Run the API on it:  node_modules/.bin/node --env-file=${directory}/.env dist/apps/ledger-api/bundle/lib/ledger-api.js`,
    `  Profile, wallet:    ${directory}/connection-org1.json, ${directory}/wallet (User1, Admin)`,
    ...(plan.ca
      ? [`  CA of Org1:         https://localhost:${ports.ca}, registrar in ${directory}/ca/registrar-secret`]
      : []),
    `  End it:             npm run fabric -- down --dir ${directory}`,
  ].join('\n');
}

/** Returns the environment without Fabric's own variables, which would override the configuration files. */
function inheritedEnvironment(): Readonly<Record<string, string>> {
  const ofFabric = /^(CORE|ORDERER|CONFIGTX|FABRIC|CHAINCODE|OSNADMIN)_/;
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => !ofFabric.test(entry[0])),
  );
}

function abortedBySignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      process.exitCode = EXIT_BY_SIGNAL[signal];
      notify('Ending what was started ...');
      controller.abort(new FabricNetworkError('INTERRUPTED', `interrupted by ${signal}`));
    });
  }
  return controller.signal;
}
