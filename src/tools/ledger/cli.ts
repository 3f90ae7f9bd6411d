import { Command, InvalidArgumentError, Option } from 'commander';
import { parseExpectedHead, parseHash } from '#embedded-ledger';
import { installedVersion, toolCommand } from '#files';
import { parseVerifierKey, type VerifierKey } from '#tlog';
import { FIELDS } from './load/fields.js';
import {
  apiUrl,
  attribute,
  hostName,
  lifetime,
  parsedBy,
  policyFile,
  portNumber,
  storeFormat,
  witnessName,
} from './option-values.js';

const store = () => import('./store-commands.js');
const callers = () => import('./callers-commands.js');
const receipts = () => import('./receipt-command.js');
const migration = () => import('./migrate-command.js');
const tree = () => import('./tree-commands.js');
const witness = () => import('../witness/witness-commands.js');
const monitoring = () => import('../witness/monitor-command.js');
const indexes = () => import('./index-command.js');
const appends = () => import('./append/append-command.js');
const loads = () => import('./load/load-command.js');
const servers = () => import('./serve-command.js');

/** Creates the commands of `npm run ledger`. */
export function createProgram(): Command {
  const program = new Command(toolCommand('ledger'))
    .description('Maintains the embedded ledger, manages the callers of the API, and verifies channels and receipts.')
    .version(installedVersion(), '--version', 'prints the version')
    .addHelpText('after', '\nExit codes: 0 success, 1 damage found or failure, 2 command line.')
    .exitOverride();
  addStoreCommands(program);
  addVerifyReceipt(program);
  addIndex(program);
  addLoad(program);
  addAppend(program);
  addServe(program);
  addCallersCommands(
    program
      .command('callers')
      .description('manages the callers of the API; a running API applies a change within a second'),
  );
  addTreeCommands(
    program.command('tree').description('manages the trees over the blocks of the channels (docs/proofs.md)'),
  );
  addWitnessCommands(
    program
      .command('witness')
      .description('confirms that transparency logs, such as other ledgers, only ever grow; needs no ledger'),
  );
  addMonitor(program);
  return program;
}

function addStoreCommands(program: Command): void {
  const add = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option('--data-dir <directory>', 'the data directory; default: LEDGER_DATA_DIR (data/ledger)');
  const withHead = (command: Command): Command =>
    command
      .option(
        '--checkpoint <file>',
        'requires that the first blocks are those of this checkpoint, which the witnesses of --policy confirmed',
      )
      .option(
        '--policy <file>',
        'the trust policy with the log and the witnesses of --checkpoint',
        parsedBy(policyFile),
      )
      .option(
        '--expect <height:hash>',
        'the older form, without witnesses: requires that the first HEIGHT blocks end with that hash',
        parsedBy(parseExpectedHead),
      )
      .option('--genesis <hash>', 'requires that block 0 has that hash', parsedBy(parseHash));
  withHead(
    add(
      'verify',
      'verifies every block and record of a data directory, or exported blocks; read-only, also while the ledger runs',
    ),
  )
    .addOption(
      new Option(
        '--blocks <directory>',
        'instead of a data directory: an export, or blocks of a Fabric channel from block 0 on, in files NUMBER.block',
      ).conflicts('dataDir'),
    )
    .action(loaded(store, 'verify'));
  add(
    'export',
    'writes each block to a file that Fabric’s tools read, also while the ledger runs; keys are not exported',
  )
    .argument('<directory>', 'a new or empty directory')
    .action(loaded(store, 'exportBlocks'));
  withHead(add('import', 'creates a data directory from an export, after verifying every block'))
    .argument('<directory>', 'the output of "export"')
    .option('--keys <directory>', 'the "identities" directory of a backup; without it the ledger is read-only')
    .action(loaded(store, 'importBlocks'));
  add('rebuild', 'rebuilds state, index and histories from the blocks; stop the ledger first').action(
    loaded(store, 'rebuild'),
  );
  add(
    'backup',
    'copies a consistent snapshot of a ledger, keys included, to a directory that can be used as a data directory, and checks its records',
  )
    .argument('<directory>', 'a new or empty directory')
    .action(loaded(store, 'backup'));
  add('store', 'upgrades the store to the format of this release, as the next start would; stop the ledger first')
    .requiredOption('--format <number>', 'the format of this release', parsedBy(storeFormat))
    .action(loaded(store, 'upgradeStore'));
  add(
    'migrate',
    'copies the assets and records to a Fabric network and compares them; can be interrupted and run again',
  )
    .addOption(
      new Option('--to <driver>', 'the driver of the network, which the variables FABRIC_* configure')
        .choices(['fabric', 'fabric-gateway'])
        .makeOptionMandatory(),
    )
    .action(loaded(migration, 'migrate'));
}

function addVerifyReceipt(program: Command): void {
  program
    .command('verify-receipt')
    .description('verifies a receipt of GET /transactions/{txid}/receipt; needs no ledger and no network')
    .argument('<file>', 'the receipt')
    .option(
      '--policy <file>',
      'the trust policy with the logs and witnesses that you trust, for a receipt with a proof of a log',
      parsedBy(policyFile),
    )
    .option(
      '--root <mspId=file>',
      'an organization that you trust, and a PEM file with its root certificate; may be repeated',
      (text: string, previous: readonly string[] | undefined) => {
        if (/^[^=]+=./.test(text)) return [...(previous ?? []), text];
        throw new InvalidArgumentError('Use MSPID=FILE, such as Org1MSP=ca.pem.');
      },
    )
    .option(
      '--expect <height:hash>',
      "requires that the block has a hash that you know from elsewhere; height is the block's number plus one",
      parsedBy(parseExpectedHead),
    )
    .option(
      '--document <file>',
      'requires that the transaction wrote this document, which is outside the blocks; with --salt (docs/records.md)',
    )
    .option('--salt <hex>', 'the salt of the document')
    .option('--json', 'prints the report as JSON')
    .addHelpText(
      'after',
      '\nExit codes: 0 proven and VALID, 1 proves nothing, 2 command line, 3 proven, and not VALID, 4 not witnessed yet.',
    )
    .action(loaded(receipts, 'verifyReceiptFile'));
}

function addMonitor(program: Command): void {
  program
    .command('monitor')
    .description("compares the logs of a channel's replicas with each other and with the last run")
    .argument('<url...>', 'the prefixes of the logs, such as https://ledger.example.org/tree/mychannel')
    .requiredOption('--policy <file>', 'the trust policy with the logs and witnesses', parsedBy(policyFile))
    .option('--state <file>', 'stores the newest checkpoint, which the next run must find continued')
    .addHelpText(
      'after',
      '\nA log that needs a caller gets the key in LEDGER_API_KEY. Exit codes: 0 one history, 1 a fork, 2 command line, 3 a log is unavailable or not signed, 4 not witnessed.',
    )
    .action(loaded(monitoring, 'monitor'));
}

function addIndex(program: Command): void {
  program
    .command('index')
    .description(
      'writes an SQLite file with the blocks, calls and changes of a chain for SQL tools (docs/chain-index.md)',
    )
    .requiredOption('--out <file>', 'the file; one of the same chain is continued')
    .option('--follow', 'adds each new block, until it is stopped')
    .option('--data-dir <directory>', 'of the embedded ledger; default: LEDGER_DATA_DIR (data/ledger)')
    .addOption(
      new Option(
        '--blocks <directory>',
        'instead: an export, or blocks of a Fabric channel in files NUMBER.block',
      ).conflicts(['dataDir', 'follow']),
    )
    .addOption(
      new Option('--from <driver>', 'instead: the channel of a Fabric network, which the variables FABRIC_* configure')
        .choices(['fabric', 'fabric-gateway'])
        .conflicts(['dataDir', 'blocks']),
    )
    .action(loaded(indexes, 'index'));
}

function addLoad(program: Command): void {
  program
    .command('load')
    .description(
      'creates an asset for each record of a file, by a running API; the same command continues after a failure',
    )
    .argument(
      '<file>',
      'a .csv or .tsv file whose first row names the columns, or a .ndjson file with one JSON object on each line',
    )
    .option(
      '--map <field=column>',
      'reads a field (id, appraisedValue, color, owner, size) from that column; may be repeated',
      (text: string, previous: ReadonlyMap<string, string> | undefined) => {
        const [, field = '', column = ''] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
        const fields: readonly string[] = FIELDS;
        if (!fields.includes(field))
          throw new InvalidArgumentError(`Use FIELD=COLUMN with one of ${fields.join(', ')}.`);
        return new Map([...(previous ?? []), [field, column]]);
      },
    )
    .option('--numbers-as-text', 'loads the numbers of a .ndjson file as texts with the same digits')
    .option('--dry-run', 'validates the records and sends nothing')
    .option('--report <file>', 'writes the refused records there, each as JSON, instead of printing the first ones')
    .option('--key <key>', 'the Idempotency-Key; default: derived from the content of the file')
    .option('--url <url>', 'the API; default: http://LEDGER_API_HOST:LEDGER_API_PORT/api/v1', apiUrl)
    .option('--ca <file>', 'PEM certificate of the authority, or of the server itself, for https')
    .addHelpText(
      'after',
      '\nThe key of the caller comes from LEDGER_API_KEY. Exit codes: 0 all created, 1 refused records or failure.',
    )
    .action(loaded(loads, 'load'));
}

function addAppend(program: Command): void {
  program
    .command('append')
    .description(
      'appends each line of standard input, a JSON document, as a record; a line that is refused refuses no other',
    )
    .argument('[directory]', 'the data directory of a ledger that no process has open; default: LEDGER_DATA_DIR')
    .requiredOption('--type <type>', 'the record type; in a directory an unknown one is defined, for any document')
    .option('--key <field>', 'the member of each document that is its id: a run that was cut can be repeated')
    .option('--url <url>', 'a running API instead of a directory', apiUrl)
    .option('--ca <file>', 'PEM certificate of the authority, or of the server itself, for https')
    .addHelpText(
      'after',
      '\nsome-program | ledger-tool append --type login\n\nThe key of the caller comes from LEDGER_API_KEY. ' +
        'Exit codes: 0 all appended, 1 refused lines or failure.',
    )
    .action(loaded(appends, 'append'));
}

function addServe(program: Command): void {
  const repeated = (text: string, previous: readonly string[] = []): readonly string[] => [...previous, text];
  program
    .command('serve')
    .description('serves ledgers for tests of chaincode, until standard input is closed (docs/testing-chaincode.md)')
    .requiredOption('--ephemeral', 'the ledgers last as long as the process; "ledger-api" serves one that is stored')
    .option('--chaincode <name=folder>', 'runs a chaincode; may be repeated', repeated)
    .option('--caller <name:attribute=value,…>', 'a caller whose certificate has attributes; may be repeated', repeated)
    .option('--watch', 'restarts a chaincode when a file in its folder is edited')
    .option('--port <number>', 'the port for http; by default a free one')
    .addHelpText(
      'after',
      '\nPrints a line of JSON with url and key when it is ready. The line "open" on standard input opens another, empty ' +
        'ledger and prints its url; "close NAME" closes the one with that channel.',
    )
    .action(loaded(servers, 'serve'));
}

function addCallersCommands(group: Command): void {
  const add = (name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .option('--callers-file <file>', 'the callers file; default: LEDGER_CALLERS_FILE')
      .addOption(
        new Option(
          '--data-dir <directory>',
          'the directory of callers.json; default: LEDGER_DATA_DIR (data/ledger)',
        ).conflicts('callersFile'),
      );
  add('add', 'adds a caller and prints its new key, which is shown only once')
    .argument('<name>', 'characters a-z, 0-9, dot, dash and underscore')
    .option(
      '--role <roles>',
      'reader, writer or admin; for one channel reader@mychannel; several with commas',
      'reader',
    )
    .option('--expires <time>', 'lifetime of the key, such as 90d, 12h or 4w', lifetime)
    .option(
      '--subject <value>',
      'identifies the caller by this claim in tokens of the configured issuer, instead of a key',
    )
    .option(
      '--attr <name=value>',
      'an attribute of the certificate on the embedded ledger, which chaincode reads; may be repeated',
      attribute,
    )
    .option('--new', 'creates the callers file of a directory in which no ledger is yet')
    .action(loaded(callers, 'add'));
  add('list', 'lists all callers with the ids of their keys').action(loaded(callers, 'list'));
  add('revoke', 'revokes a caller; its earlier writes stay valid')
    .argument('<name>')
    .option('--key <id>', 'revokes this key only')
    .action(loaded(callers, 'revoke'));
  add('rotate', 'prints a new key of a caller and expires its others')
    .argument('<name>')
    .option('--expires <time>', 'lifetime of the new key, such as 90d, 12h or 4w', lifetime)
    .option('--overlap <time>', 'keeps the old keys valid for that long; by default they expire now', lifetime)
    .action(loaded(callers, 'rotate'));
  group
    .command('renew')
    .description(
      'issues a new certificate to a caller of the embedded ledger; its keys stay, and repeated writes are recognized',
    )
    .argument('<name>')
    .option('--data-dir <directory>', 'the data directory; default: LEDGER_DATA_DIR (data/ledger)')
    .option('--callers-file <file>', 'the callers file; default: LEDGER_CALLERS_FILE, or callers.json in --data-dir')
    .action(loaded(callers, 'renew'));
}

function addTreeCommands(group: Command): void {
  const add = (name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .option('--channel <name>', 'the channel; default: LEDGER_CHANNEL')
      .option('--data-dir <directory>', 'the data directory; default: LEDGER_DATA_DIR (data/ledger)');
  add('key', 'prints the public key of the tree, which verifiers need').action(loaded(tree, 'key'));
  add('renew', 'begins a new tree with another origin and key, after a fork; stop the server first').action(
    loaded(tree, 'renew'),
  );
  add(
    'import',
    'copies the entries of another replica and checks them, for a peer that lacks the first blocks; stop the server first',
  )
    .argument('<url>', 'the tree of the replica, such as https://ledger.example.org/tree/mychannel')
    .requiredOption('--log <vkey>', "the public key of that replica's tree", parsedBy(parseVerifierKey))
    .addHelpText('after', '\nThe key of the caller comes from LEDGER_API_KEY.')
    .action(loaded(tree, 'importEntries'));
}

function addWitnessCommands(group: Command): void {
  const add = (name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .argument('<name>', 'characters a-z, 0-9, dot, dash and underscore', parsedBy(witnessName))
      .option('--directory <directory>', 'the directory of the witnesses of this machine', 'data/witnesses');
  add('init', 'creates a witness and prints its public key')
    .argument('<host>', 'the host under which it is known, such as witness.example.org; its key is HOST/NAME', hostName)
    .action(loaded(witness, 'init'));
  add('serve', 'runs a witness as https://c2sp.org/tlog-witness describes it; its state must never be set back')
    .requiredOption(
      '--log <vkey>',
      'the public key of a log that it confirms; may be repeated',
      (text: string, previous: readonly VerifierKey[] | undefined) => [
        ...(previous ?? []),
        parsedBy(parseVerifierKey)(text),
      ],
    )
    .option('--host <address>', 'the address on which it listens', '127.0.0.1')
    .option('--port <number>', 'the port on which it listens; 0: any', parsedBy(portNumber), 7380)
    .action(loaded(witness, 'serve'));
}

/** Returns an action whose implementation is loaded when it runs, so that `--help` and `--version` start without it. */
function loaded<N extends string>(load: () => Promise<Readonly<Record<N, unknown>>>, name: N): Action {
  return async (...args) => ((await load())[name] as Action)(...args);
}

type Action = (...args: readonly unknown[]) => Promise<void>;
