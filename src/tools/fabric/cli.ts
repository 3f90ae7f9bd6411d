import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { FabricNetworkError } from './fabric-network.error.js';
import { findRelease, type SearchPlaces } from './find-binaries.js';
import { NetworkLayout } from './network-layout.js';
import { PLAN_DEFAULTS, makePlan, requireSamePlan, type NetworkPlan, type PlanOptions } from './network-plan.js';
import { readRecord, type NetworkRecord } from './network-record.js';
import { down, status, type NetworkStatus } from './running.js';
import { up } from './up.js';

interface DirectoryOption {
  readonly dir: string;
}

const DEFAULT_DIRECTORY = 'data/fabric';

/** As service managers have it: the service is not running. */
const EXIT_NOT_RUNNING = 3;
const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

/** `npm run fabric -- up | down | status`; gives the exit code. */
export async function runCli(): Promise<number> {
  let exitCode = 0;
  const done = (code: number): void => {
    exitCode = code;
  };
  try {
    await program(done).parseAsync(process.argv);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof FabricNetworkError)) throw error;
    if (error.code !== 'FABRIC_NETWORK.INTERRUPTED') console.error(`fabric: ${error.message}`);
    return exitCode === 0 ? 1 : exitCode;
  }
  return exitCode;
}

function program(done: (code: number) => void): Command {
  const cli = new Command('fabric').description('A Hyperledger Fabric network on this machine, without containers');
  cli.exitOverride();
  const subcommand = (name: string): Command =>
    cli.command(name).exitOverride().option('--dir <folder>', 'where the network is kept', DEFAULT_DIRECTORY);
  withPlanOptions(subcommand('up'))
    .description('make a network, or start an existing one again')
    .action((options: DirectoryOption & PlanOptions) => runUp(options, done));
  subcommand('down')
    .description('end what `up` started')
    .option('--remove-data', 'remove the network too: channel, certificates, wallet', false)
    .action(({ dir, removeData }: DirectoryOption & { removeData: boolean }) => runDown(dir, removeData));
  subcommand('status')
    .description('tell how each part of the network is')
    .option('--json', 'as JSON', false)
    .action(({ dir, json }: DirectoryOption & { json: boolean }) => runStatus(dir, json, done));
  return cli;
}

/** No defaults here: with an existing network, given options must be distinguished from missing ones. */
function withPlanOptions(command: Command): Command {
  const usual = (text: string, value: string | number): string => `${text} (default: ${value})`;
  return command
    .option(
      '--first-port <port>',
      usual('first of six ports in a row; 0: any free ones', PLAN_DEFAULTS.firstPort),
      Number,
    )
    .option('--channel <name>', usual('channel', PLAN_DEFAULTS.channel))
    .option('--chaincode-name <name>', usual('name of the chaincode', PLAN_DEFAULTS.chaincodeName))
    .option('--chaincode-version <version>', usual('its version', PLAN_DEFAULTS.chaincodeVersion))
    .option(
      '--chaincode-command <command>',
      'shell command that serves another chaincode than this project’s, by CHAINCODE_ID and CHAINCODE_SERVER_ADDRESS',
    )
    .option('--chaincode-dir <folder>', 'where that command runs')
    .option('--chaincode-tls', 'TLS between peers and chaincode, both ways')
    .option('--probe <call>', usual('call that checks that the chaincode answers', PLAN_DEFAULTS.probe))
    .option('--no-probe', 'do not wait until the chaincode answers')
    .option('--batch-timeout <duration>', usual('longest wait before a block is cut', PLAN_DEFAULTS.batchTimeout))
    .option('--batch-size <count>', usual('most transactions in a block', PLAN_DEFAULTS.batchSize), Number)
    .option('--no-ca', 'no certificate authority for Org1, though fabric-ca-server is there');
}

async function runUp(
  { dir, ca, ...given }: DirectoryOption & PlanOptions,
  done: (code: number) => void,
): Promise<void> {
  const begun = performance.now();
  const seconds = (): string => ((performance.now() - begun) / 1000).toFixed(1).padStart(5);
  const release = findRelease(searchPlaces());
  // commander makes `ca` true where --no-ca is not given: that is not the user's wish.
  const options = { ...given, ...(ca === false && { ca }) };
  const plan = await planFor(dir, options, release.binaries.ca !== undefined);
  const record = await up(plan, {
    release,
    environment: inheritedEnvironment(),
    signal: abortedBySignals(done),
    progress: (text) => {
      console.log(`${seconds()} s  ${text}`);
    },
  });
  if (ca !== false && release.binaries.ca === undefined) console.log('No CA: fabric-ca-server was not found.');
  console.log(summary(record));
}

/** The plan of the network that is there, or a new one. How it is asked whether it is ready may change. */
async function planFor(dir: string, options: PlanOptions, hasCa: boolean): Promise<NetworkPlan> {
  const existing = readRecord(new NetworkLayout(resolve(dir)).record);
  if (existing?.state !== 'ready') return makePlan(dir, options, hasCa);
  const { probe, ...lasting } = options;
  requireSamePlan(existing.plan, lasting);
  if (probe === undefined) return existing.plan;
  return { ...existing.plan, chaincode: { ...existing.plan.chaincode, probe: probe === false ? '' : probe } };
}

async function runDown(dir: string, removeData: boolean): Promise<void> {
  const directory = resolve(dir);
  const result = await down(directory, removeData);
  if (result === undefined) {
    console.log(`No network in ${directory}.`);
    return;
  }
  const ended = result.ended.length === 0 ? 'Nothing ran' : `Ended ${result.ended.join(', ')}`;
  console.log(`${ended}; ${result.isRemoved ? `removed ${directory}` : `its data stays in ${directory}`}.`);
}

async function runStatus(dir: string, json: boolean, done: (code: number) => void): Promise<void> {
  const directory = resolve(dir);
  const found = await status(directory);
  if (found?.isUp !== true) done(EXIT_NOT_RUNNING);
  if (json) console.log(JSON.stringify(found ?? null, undefined, 2));
  else console.log(found === undefined ? `No network in ${directory}.` : statusTable(found));
}

function statusTable({ record, components }: NetworkStatus): string {
  const { plan, fabricVersion, state } = record;
  const rows = components.map(({ name, state: is, pid, addresses, log }) =>
    [name.padEnd(10), is.padEnd(7), String(pid ?? '-').padEnd(8), addresses.join(' '), is === 'up' ? '' : log]
      .join(' ')
      .trimEnd(),
  );
  const made = state === 'ready' ? '' : ', not made to the end';
  return [
    `Fabric ${fabricVersion} in ${plan.directory}${made}: ${plan.channel}, ${plan.chaincode.name} ${plan.chaincode.version}`,
    ...rows,
  ].join('\n');
}

function summary({ plan, fabricVersion }: NetworkRecord): string {
  const { directory, ports } = plan;
  return [
    '',
    `Fabric ${fabricVersion}: ${plan.channel} with ${plan.chaincode.name} ${plan.chaincode.version}, Org1's peer on localhost:${ports.peerOrg1}.`,
    `  Run the API on it:  node_modules/.bin/node --env-file=${directory}/.env dist/apps/ledger-api/bundle/lib/ledger-api.js`,
    `  Profile, wallet:    ${directory}/connection-org1.json, ${directory}/wallet (User1, Admin)`,
    ...(plan.ca
      ? [`  CA of Org1:         https://localhost:${ports.ca}, registrar in ${directory}/ca/registrar-secret`]
      : []),
    `  End it:             npm run fabric -- down --dir ${directory}`,
  ].join('\n');
}

function searchPlaces(): SearchPlaces {
  const { FABRIC_BIN, FABRIC_CFG, FABRIC_CCAAS, PATH } = process.env;
  return {
    ...(FABRIC_BIN && { bin: FABRIC_BIN }),
    ...(FABRIC_CFG && { config: FABRIC_CFG }),
    ...(FABRIC_CCAAS && { ccaas: FABRIC_CCAAS }),
    ...(PATH && { path: PATH }),
  };
}

/** All but Fabric's own variables, which would override the files that are written for each program. */
function inheritedEnvironment(): Readonly<Record<string, string>> {
  const own = /^(CORE|ORDERER|CONFIGTX|FABRIC|CHAINCODE|OSNADMIN)_/;
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !own.test(entry[0]),
    ),
  );
}

function abortedBySignals(done: (code: number) => void): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      done(EXIT_BY_SIGNAL[signal]);
      console.error('Ending what was started ...');
      controller.abort(new FabricNetworkError('FABRIC_NETWORK.INTERRUPTED', `interrupted by ${signal}`));
    });
  }
  return controller.signal;
}
