import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ignoredText, InvalidEnvironmentError, type LedgerApiConfig, loadEnvFile, readConfig } from '#ledger-config';
import { ENDING_SIGNALS, ignoreOtherSignals, onHangup } from '#logging';
import type { RunningApi } from './start.js';

const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

interface Options {
  readonly port?: string;
  readonly dataDir?: string;
  readonly chaincode?: readonly string[];
  readonly watch?: true;
  readonly check?: true;
  readonly ephemeral?: true;
  readonly caller?: readonly EphemeralCaller[];
}

/** A caller of an ephemeral ledger, with the attributes of its certificate. */
interface EphemeralCaller {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Runs the command line of ledger-api. Returns when the server listens; ends the process on failure and after `--check`. */
export async function runCli(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  try {
    const program = createProgram().parse(argv, { from: 'user' });
    const options = program.opts<Options>();
    await (options.ephemeral === true ? runEphemeral(options) : run(options));
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? EXIT.ok : EXIT.usage);
    process.stderr.write(`${startFailureLines(error).join('\n')}\n`);
    process.exit(EXIT.failed);
  }
}

async function run({ check, ...options }: Options): Promise<void> {
  loadEnvFile();
  const config = readConfig({ ...process.env, ...variablesOf(options) });
  ignoreOtherSignals();
  await (check === true ? runCheck(config) : runServer(config));
}

/** Returns the variables that options of the command line set. */
function variablesOf({ port, dataDir, chaincode, watch }: Options): NodeJS.ProcessEnv {
  return {
    ...(port !== undefined && { LEDGER_API_PORT: port }),
    ...(dataDir !== undefined && { LEDGER_DATA_DIR: dataDir }),
    ...(chaincode !== undefined && { LEDGER_CHAINCODES: chaincode.join(',') }),
    ...(watch === true && { LEDGER_CHAINCODE_WATCH: 'on' }),
  };
}

async function runEphemeral({ port = '0', chaincode = [], watch, caller = [] }: Options): Promise<void> {
  ignoreOtherSignals();
  const { serveEphemeral } = await import('./serve-ephemeral.js');
  const { env: environment } = process;
  const options = { environment, port, chaincodes: chaincode, callers: caller, isWatched: watch === true };
  await serveEphemeral(options, runServer);
}

/** Starts the server, and stops it at a signal. */
async function runServer(config: LedgerApiConfig): Promise<RunningApi> {
  const starting = new AbortController();
  const started: { api?: RunningApi } = {};
  const stop = (reason: string): void => {
    if (started.api === undefined) starting.abort(reason);
    else started.api.stop(reason);
  };
  onHangup({
    // A start in progress needs no reload: the files are watched.
    reload: () => void started.api?.reload('SIGHUP'),
    close: () => {
      stop('the terminal was closed');
    },
  });
  // Before the modules are loaded, which takes a while: the default action would exit without a log line.
  for (const signal of ENDING_SIGNALS) process.on(signal, stop);
  // A parent process with an IPC channel that has exited can send no signal any more.
  process.once('disconnect', () => {
    stop('the launcher has exited');
  });
  // Loaded after the configuration is valid, so that an invalid one is reported at once.
  const { startLedgerApi } = await import('./start.js');
  return (started.api = await startLedgerApi(config, starting.signal));
}

async function runCheck(config: LedgerApiConfig): Promise<void> {
  const { ignoredVariables, renamedVariables } = config;
  for (const line of renamedVariables) process.stderr.write(`ledger-api: ${line}\n`);
  if (ignoredVariables.length > 0) process.stderr.write(`ledger-api: ${ignoredText(ignoredVariables)}\n`);
  const { checkStart } = await import('./start.js');
  const { upgrade, warnings } = await checkStart(config);
  for (const warning of warnings) process.stderr.write(`ledger-api: ${warning}\n`);
  if (upgrade !== undefined) {
    const { path, from, to } = upgrade;
    process.stdout.write(
      `The next start will upgrade ${path} from format ${from} to format ${to}: make a backup first.\n`,
    );
  }
  process.stdout.write('The configuration and the data directory are valid.\n');
}

function createProgram(): Command {
  return new Command('ledger-api')
    .description('Serves the asset ledger REST API. Environment variables and .env configure it; options win.')
    .option('--port <number>', 'the port for http; 0 selects a free one (LEDGER_API_PORT)', portNumber)
    .option('--data-dir <directory>', 'the directory of the embedded ledger and its keys (LEDGER_DATA_DIR)', directory)
    .option('--chaincode <name=folder>', 'run a chaincode; may be repeated (LEDGER_CHAINCODES)', chaincodes)
    .option('--watch', 'restart a chaincode when a file in its folder is edited (LEDGER_CHAINCODE_WATCH)')
    .option('--check', 'validate the configuration and the data directory, write nothing, and exit')
    .addOption(
      new Option(
        '--ephemeral',
        'serve ledgers for tests until standard input is closed (docs/testing-chaincode.md)',
      ).conflicts(['dataDir', 'check']),
    )
    .addOption(
      new Option(
        '--caller <name:attribute=value,…>',
        'with --ephemeral: a caller whose certificate has attributes; may be repeated',
      ).argParser(ephemeralCaller),
    )
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', '\nExit codes: 0 success, 1 failure, 2 invalid command line.')
    .allowExcessArguments(false)
    .configureOutput({
      outputError: (text, write) => {
        write(text.replace(/^error: /, 'ledger-api: '));
      },
    })
    .exitOverride();
}

function portNumber(value: string): string {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return value;
  throw new InvalidArgumentError('Use a whole number from 0 to 65535.');
}

function directory(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must not be empty.');
  return value;
}

function chaincodes(value: string, previous: readonly string[] = []): readonly string[] {
  if (value.includes(',')) throw new InvalidArgumentError('It must not contain a comma.');
  return [...previous, value];
}

function ephemeralCaller(value: string, previous: readonly EphemeralCaller[] = []): readonly EphemeralCaller[] {
  const [name = '', ...attributes] = value.split(/[:,]/);
  const pairs = attributes.map((each) => /^([^=]+)=(.*)$/.exec(each)?.slice(1) ?? []);
  if (pairs.some(({ length }) => length === 0)) throw new InvalidArgumentError('Use NAME, or NAME:ATTRIBUTE=VALUE,….');
  return [...previous, { name, attributes: Object.fromEntries(pairs) as Record<string, string> }];
}

function version(): string {
  const file = findPackageJSON(import.meta.url);
  return file === undefined ? 'unknown' : (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses the port',
  EACCES: 'this user has no permission',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'the host name is unknown',
};

/**
 * Returns the lines that report a failed start: one for each error, without a stack. Errors are distinguished by their codes,
 * because their classes would load the ledger and its drivers.
 */
export function startFailureLines(error: unknown): readonly string[] {
  if (error instanceof InvalidEnvironmentError) return error.lines;
  if (!hasMessage(error)) return [`ledger-api could not start: ${String(error)}`];
  const { code = '' } = error;
  if (code.startsWith('LEDGER.')) return [`The ledger cannot be opened (${code}): ${oneLine(error)}`];
  if (code === 'LEDGER_API.TLS_FILE' || code === 'LEDGER_API.CALLERS') return [oneLine(error)];
  return [listenError(error) ?? `ledger-api could not start: ${oneLine(error)}`];
}

function hasMessage(error: unknown): error is NodeJS.ErrnoException {
  return typeof error === 'object' && error !== null && 'message' in error;
}

function oneLine({ message }: Error): string {
  const lines = message.split('\n').map((line) => line.trim());
  return lines.join(' ');
}

interface ListenError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly hostname?: string;
  readonly port?: number;
}

function listenError(error: ListenError): string | undefined {
  const { code = '', syscall, address = '', hostname = '', port = '' } = error;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  const place = syscall === 'listen' ? `${address} port ${port}` : hostname;
  const reason = LISTEN_ERRORS[code] ?? code;
  return `Cannot listen on ${place}: ${reason}. Change LEDGER_API_HOST, LEDGER_API_PORT or LEDGER_API_HTTPS_PORT.`;
}
