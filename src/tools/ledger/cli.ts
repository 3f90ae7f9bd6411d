import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { installedVersion, toolCommand, type CheckedParts, type VerificationReport } from '#ledger-gateway';
import { addCallersCommands } from './callers-commands.js';
import { loadImplementation, parseOption, print } from './command-output.js';
import { addVerifyReceipt } from './receipt-command.js';

/** Exit codes of the program. */
const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

const NO_PIN = `No expected head was given: those who hold the keys can sign another chain as a whole, or truncate this one.
Store the head above elsewhere, and give it next time: --expect HEIGHT:HASH`;

/** The options of several commands. */
interface Options {
  readonly dataDir?: string;
  readonly blocks?: string;
  readonly expect?: string;
  readonly genesis?: string;
  readonly keys?: string;
  readonly format?: '1' | '2';
}

/**
 * Runs one command on a ledger's directory.
 * @param argv - the arguments after the program's name
 * @returns the exit code
 */
export async function runCli(argv: readonly string[] = process.argv.slice(2)): Promise<number> {
  let code: number = EXIT.ok;
  const program = createProgram((failed) => {
    code = failed;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof InvalidArgumentError) process.stderr.write(`${error.message}\n`);
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!isExpected(error)) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    return EXIT.failed;
  }
}

/** The errors of the ledger and of its configuration are expected, and are one line for the user. */
function isExpected(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && code.startsWith('LEDGER');
}

function createProgram(exit: (code: number) => void): Command {
  const program = new Command(toolCommand('ledger'))
    .description('Maintains the embedded ledger, manages the callers of the API, and verifies channels and receipts.')
    .version(installedVersion(), '--version', 'prints the version')
    .addHelpText('after', '\nExit codes: 0 success, 1 damage found or failure, 2 command line.')
    .exitOverride();
  addVerify(program, exit);
  addExport(program);
  addImport(program);
  addRebuild(program);
  addBackup(program);
  addStore(program);
  addVerifyReceipt(program, exit);
  addCallersCommands(program);
  return program;
}

function addVerify(program: Command, exit: (code: number) => void): void {
  withDirectory(withHead(program.command('verify')))
    .description(
      'verifies every block and record of a data directory, or exported blocks; read-only, also while the ledger runs',
    )
    .addOption(
      new Option(
        '--blocks <directory>',
        'instead of a data directory: an export, or blocks of a Fabric channel from block 0 on, in files NUMBER.block',
      ).conflicts('dataDir'),
    )
    .action(async ({ blocks, dataDir, expect, genesis }: Options) => {
      const { configuredDirectory, parseExpectedHead, parseHash, ProgressBar, verifyLedger } =
        await loadImplementation();
      const head = parseOption('--expect', expect, parseExpectedHead);
      const genesisHash = parseOption('--genesis', genesis, parseHash);
      const bar = new ProgressBar('Verifying');
      const report = await verifyLedger({
        path: blocks ?? dataDir ?? configuredDirectory(),
        isChannel: blocks !== undefined,
        expect: head,
        genesis: genesisHash,
        progress: bar.progress('blocks'),
      }).finally(() => {
        bar.end();
      });
      const { height, hash, transactions, findings, checked } = report;
      for (const { where, check, what } of findings) print(`${check}: ${where}: ${what}`);
      print(`${height} blocks, ${transactions} transactions; head ${height}:${hash}`);
      if (blocks !== undefined) for (const line of linesOf(checked)) print(line);
      print(verdictOn(findings));
      if (expect === undefined) print(NO_PIN);
      if (findings.length > 0) exit(EXIT.failed);
    });
}

function verdictOn(findings: VerificationReport['findings']): string {
  if (findings.length === 0) return 'Nothing is wrong.';
  if (findings.every(({ check }) => check === 'UNCHECKED')) return 'NOT ALL COULD BE CHECKED: see above.';
  return 'DAMAGED: see above.';
}

/** Lists the checked parts of a channel, which shows what was not checked. */
function linesOf({ configurations, calls, refused, signatures, chaincodes, collections }: CheckedParts): string[] {
  return [
    `Checked: ${configurations} configurations, ${calls} calls, ${refused} refused transactions, ${signatures} signatures`,
    ...chaincodes.map(({ name, calls: count, policy }) => `  ${name}: ${count} calls, endorsed by ${policy}`),
    ...collections.map(
      ({ chaincode, name, reads, writes }) =>
        `  private data of ${chaincode} in ${name}: ${reads} reads and ${writes} writes by their hashes`,
    ),
  ];
}

function addExport(program: Command): void {
  withDirectory(program.command('export'))
    .description(
      'writes each block to a file that Fabric’s tools read, also while the ledger runs; keys are not exported',
    )
    .argument('<directory>', 'a new or empty directory')
    .action(async (target: string, options: Options) => {
      const { configuredDirectory, exportLedger, ProgressBar } = await loadImplementation();
      const { dataDir = configuredDirectory() } = options;
      const bar = new ProgressBar('Exporting');
      const head = await exportLedger({ dataDir, target, progress: bar.progress('blocks') }).finally(() => {
        bar.end();
      });
      print(`${head.height} blocks written to ${target}; head ${head.height}:${head.currentHash}`);
    });
}

function addImport(program: Command): void {
  withDirectory(withHead(program.command('import')))
    .description('creates a data directory from an export, after verifying every block')
    .argument('<directory>', 'the output of "export"')
    .option('--keys <directory>', 'the "identities" directory of a backup; without it the ledger is read-only')
    .action(async (source: string, { keys, ...options }: Options) => {
      const { configuredDirectory, importLedger, parseExpectedHead, parseHash, ProgressBar } =
        await loadImplementation();
      const { dataDir = configuredDirectory() } = options;
      const expect = parseOption('--expect', options.expect, parseExpectedHead);
      const genesis = parseOption('--genesis', options.genesis, parseHash);
      const bar = new ProgressBar('Importing');
      const progress = bar.progress('blocks');
      const made = await importLedger({ source, dataDir, keys, expect, genesis, progress }).finally(() => {
        bar.end();
      });
      print(`${made.height} blocks imported to ${dataDir}; head ${made.height}:${made.hash}`);
      if (keys === undefined) print('Without keys it is read-only: add an "identities" directory to write.');
    });
}

function addRebuild(program: Command): void {
  withDirectory(program.command('rebuild'))
    .description('rebuilds state, index and histories from the blocks; stop the ledger first')
    .action(async (options: Options) => {
      const { configuredDirectory, ProgressBar, rebuildLedger } = await loadImplementation();
      const { dataDir = configuredDirectory() } = options;
      const bar = new ProgressBar('Rebuilding');
      const head = await rebuildLedger({ dataDir, progress: bar.progress('blocks') }).finally(() => {
        bar.end();
      });
      print(`Rebuilt from ${head.height} blocks; head ${head.height}:${head.currentHash}`);
      print(`The replaced files are in ${head.replaced}`);
    });
}

function addBackup(program: Command): void {
  withDirectory(program.command('backup'))
    .description(
      'copies a consistent snapshot of a ledger, keys included, to a directory that can be used as a data directory',
    )
    .argument('<directory>', 'a new or empty directory')
    .action(async (target: string, options: Options) => {
      const { backupLedger, configuredDirectory, ProgressBar } = await loadImplementation();
      const { dataDir = configuredDirectory() } = options;
      const bar = new ProgressBar('Copying');
      const head = await backupLedger({ dataDir, target, progress: bar.progress('pages') }).finally(() => {
        bar.end();
      });
      print(`${head.height} blocks and the keys copied to ${target}; head ${head.height}:${head.currentHash}`);
      print('The copy contains private keys: store it where only you can read it.');
    });
}

function addStore(program: Command): void {
  withDirectory(program.command('store'))
    .description('converts the store to another format: 1 before a return to release 0.1; stop the ledger first')
    .addOption(new Option('--format <number>', 'the new format').choices(['1', '2']).makeOptionMandatory())
    .action(async ({ format, ...options }: Options) => {
      const { configuredDirectory, convertLedger, ProgressBar } = await loadImplementation();
      const { dataDir = configuredDirectory() } = options;
      const to = format === '1' ? 1 : 2;
      const bar = new ProgressBar('Converting');
      const converted = await convertLedger({ dataDir, format: to, progress: bar.progress('keys') }).finally(() => {
        bar.end();
      });
      const { previousFormat, height, currentHash } = converted;
      print(previousFormat === to ? `The store has format ${to} already.` : `The store has format ${to} now.`);
      print(`${height} blocks; head ${height}:${currentHash}`);
    });
}

function withDirectory(command: Command): Command {
  return command.option('--data-dir <directory>', 'the data directory; default: LEDGER_DATA_DIR (data/ledger)');
}

function withHead(command: Command): Command {
  return command
    .option('--expect <height:hash>', 'requires that the first HEIGHT blocks end with that hash')
    .option('--genesis <hash>', 'requires that block 0 has that hash');
}
