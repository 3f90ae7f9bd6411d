import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import {
  backupLedger,
  convertLedger,
  exportLedger,
  importLedger,
  LedgerError,
  parseExpectedHead,
  parseHash,
  rebuildLedger,
  verifyLedger,
  type CheckedParts,
  type VerificationReport,
} from '#ledger-gateway';
import { CallersError } from '../../../apps/ledger-api/src/access/caller-entry.js';
import { loadEnvFile } from '../../../apps/ledger-api/src/config/config.js';
import { Environment } from '../../../apps/ledger-api/src/config/environment.js';
import { InvalidEnvironmentError, readVariables } from '../../../apps/ledger-api/src/config/variables.js';
import { addCallersCommands } from './callers-commands.js';
import { ProgressBar } from './progress-bar.js';
import { addVerifyReceipt, ReceiptFileError } from './receipt-command.js';

/** How the program ends. */
const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** What goes wrong by itself, and is told in one line. */
const EXPECTED = [LedgerError, InvalidEnvironmentError, CallersError, ReceiptFileError] as const;

const NO_PIN = `No pin was given: whoever holds the keys can sign another chain as a whole, or cut this one's end.
Keep the head above elsewhere, and give them next time: --expect HEIGHT:HASH`;

/** The options that several commands have. */
interface Options {
  readonly dataDir?: string;
  readonly blocks?: string;
  readonly expect?: ReturnType<typeof parseExpectedHead>;
  readonly genesis?: string;
  readonly keys?: string;
  readonly format?: '1' | '2';
}

/**
 * Runs one command on a ledger's directory.
 * @param argv - the arguments behind the program's name
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
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!EXPECTED.some((type) => error instanceof type)) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    return EXIT.failed;
  }
}

function createProgram(exit: (code: number) => void): Command {
  const program = new Command('ledger')
    .description(
      'Looks after the embedded ledger: its blocks, what follows from them, its keys; and who may call the API.',
    )
    .addHelpText('after', '\nExit codes: 0 done and sound, 1 damage found or failed, 2 command line.')
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
  placed(pinned(program.command('verify')))
    .description(
      'checks every block and record of a data directory, or exported blocks; writes nothing, the ledger may be in use',
    )
    .addOption(
      new Option(
        '--blocks <directory>',
        'instead of a data directory, what "export" wrote, or blocks of a Fabric channel from block 0 on: NUMBER.block each',
      ).conflicts('dataDir'),
    )
    .action(async ({ blocks, dataDir, expect, genesis }: Options) => {
      const bar = new ProgressBar('Verifying');
      const report = await verifyLedger({
        path: blocks ?? dataDir ?? configuredDirectory(),
        isChannel: blocks !== undefined,
        expect,
        genesis,
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

/** What of a channel was checked, for whoever wonders what was not. */
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
  placed(program.command('export'))
    .description(
      'writes each block as a file that Fabric’s tools read; the ledger may be in use. Keys are not exported',
    )
    .argument('<directory>', 'a new or empty directory')
    .action(async (target: string, { dataDir = configuredDirectory() }: Options) => {
      const bar = new ProgressBar('Exporting');
      const head = await exportLedger({ dataDir, target, progress: bar.progress('blocks') }).finally(() => {
        bar.end();
      });
      print(`${head.height} blocks written to ${target}; head ${head.height}:${head.currentHash}`);
    });
}

function addImport(program: Command): void {
  placed(pinned(program.command('import')))
    .description('makes a data directory from an export, after verifying every block')
    .argument('<directory>', 'what "export" wrote')
    .option('--keys <directory>', 'the "identities" directory of a backup; without it the ledger can be read only')
    .action(async (source: string, { dataDir = configuredDirectory(), keys, expect, genesis }: Options) => {
      const bar = new ProgressBar('Importing');
      const progress = bar.progress('blocks');
      const made = await importLedger({ source, dataDir, keys, expect, genesis, progress }).finally(() => {
        bar.end();
      });
      print(`${made.height} blocks imported to ${dataDir}; head ${made.height}:${made.hash}`);
      if (keys === undefined) print('Without keys it can be read only: put an "identities" directory there to write.');
    });
}

function addRebuild(program: Command): void {
  placed(program.command('rebuild'))
    .description('makes state, index and histories anew from the blocks; stop the ledger first')
    .action(async ({ dataDir = configuredDirectory() }: Options) => {
      const bar = new ProgressBar('Rebuilding');
      const head = await rebuildLedger({ dataDir, progress: bar.progress('blocks') }).finally(() => {
        bar.end();
      });
      print(`Rebuilt from ${head.height} blocks; head ${head.height}:${head.currentHash}`);
      print(`What it replaced is kept in ${head.replaced}`);
    });
}

function addBackup(program: Command): void {
  placed(program.command('backup'))
    .description('copies one moment of a ledger, keys included, into a directory usable as data directory as it is')
    .argument('<directory>', 'a new or empty directory; a backup is a directory, no single file')
    .action(async (target: string, { dataDir = configuredDirectory() }: Options) => {
      const bar = new ProgressBar('Copying');
      const head = await backupLedger({ dataDir, target, progress: bar.progress('pages') }).finally(() => {
        bar.end();
      });
      print(`${head.height} blocks and the keys copied to ${target}; head ${head.height}:${head.currentHash}`);
      print('The copy holds private keys: keep it where only you can read it.');
    });
}

function addStore(program: Command): void {
  placed(program.command('store'))
    .description('converts the store to another format: 1 before a return to release 0.1; stop the ledger first')
    .addOption(new Option('--format <number>', 'the new format').choices(['1', '2']).makeOptionMandatory())
    .action(async ({ dataDir = configuredDirectory(), format }: Options) => {
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

function placed(command: Command): Command {
  return command.option('--data-dir <directory>', 'the data directory; without it LEDGER_DATA_DIR (data/ledger)');
}

function pinned(command: Command): Command {
  return command
    .option(
      '--expect <height:hash>',
      'the chain must have had that many blocks, the last with that hash',
      parsed(parseExpectedHead),
    )
    .option('--genesis <hash>', 'block 0 must have that hash', parsed(parseHash));
}

/** A bad value is a fault of the command line. */
function parsed<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

function configuredDirectory(): string {
  loadEnvFile();
  return readVariables(Environment, process.env, ['LEDGER_DATA_DIR']).LEDGER_DATA_DIR;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
