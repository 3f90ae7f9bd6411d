import { InvalidArgumentError, Option, type Command } from 'commander';
import { renewCaller } from '#ledger-gateway';
import { ROLES, type CallerEntry, type Role } from '../../../apps/ledger-api/src/access/caller-entry.js';
import { addCaller, hasExpired, revokeCaller, rotateKeys } from '../../../apps/ledger-api/src/access/caller-list.js';
import { certificatesDirOf, changeCallers, readCallers } from '../../../apps/ledger-api/src/access/callers-file.js';
import { callersFileIn, loadEnvFile } from '../../../apps/ledger-api/src/config/config.js';
import { Environment } from '../../../apps/ledger-api/src/config/environment.js';
import { readVariables } from '../../../apps/ledger-api/src/config/variables.js';

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const LONGEST_MS = 3650 * UNITS.d;

interface Options {
  readonly callersFile?: string;
  readonly dataDir?: string;
  readonly role: Role;
  readonly subject?: string;
  readonly expires?: number;
  readonly key?: string;
  readonly overlap?: number;
}

/** `ledger callers …`: who may call the API, as it takes effect within a second of a running one. */
export function addCallersCommands(program: Command): void {
  const callers = program
    .command('callers')
    .description('keeps the list of who may call the API; it may run meanwhile and follows within a second');

  placed(callers.command('add'))
    .description('adds a caller and prints its new key: keep it, it is shown only now')
    .argument('<name>', 'of a-z, 0-9, dot, dash and underscore')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).default('reader'))
    .addOption(lifetime('--expires <time>', 'the key is refused that long from now on: 90d, 12h, 4w'))
    .addOption(
      new Option('--subject <value>', 'instead of a key: tokens of the configured issuer with this claim are its'),
    )
    .action(async (name: string, options: Options) => {
      const { role, subject } = options;
      const caller = { name, role, withKey: subject === undefined, ...ending(options), ...(subject && { subject }) };
      const { key } = await changeCallers(fileOf(options), (list) => addCaller(list, caller));
      tell(`${name} has the role ${role}${subject === undefined ? '' : `: ${JSON.stringify(subject)} of the issuer`}.`);
      if (key !== undefined) showKey(key.text);
    });

  placed(callers.command('list'))
    .description('shows all callers with the ids of their keys')
    .action(async (options: Options) => {
      const { callers: list = [] } = await readCallers(fileOf(options));
      for (const line of table(list)) print(line);
    });

  placed(callers.command('revoke'))
    .description('refuses a caller from now on; what it has written stays its own and valid')
    .argument('<name>')
    .option('--key <id>', 'this key only')
    .action(async (name: string, { key: keyId, ...options }: Options) => {
      await changeCallers(fileOf(options), (list) => revokeCaller(list, { name, keyId }));
      print(keyId === undefined ? `${name} is revoked.` : `The key ${keyId} of ${name} is revoked.`);
    });

  placed(callers.command('rotate'))
    .description('prints a new key of a caller; its others end')
    .argument('<name>')
    .addOption(lifetime('--expires <time>', 'the new key is refused that long from now on: 90d, 12h, 4w'))
    .addOption(lifetime('--overlap <time>', 'the old keys are taken for so long; without it they end now'))
    .action(async (name: string, options: Options) => {
      const { overlap = 0 } = options;
      const { key } = await changeCallers(fileOf(options), (list) =>
        rotateKeys(list, { name, overlap, ...ending(options) }),
      );
      tell(`${name} has a new key; the old ones ${overlap === 0 ? 'are refused' : 'end after the overlap'}.`);
      if (key !== undefined) showKey(key.text);
    });

  callers
    .command('renew')
    .description(
      'gives a caller another certificate on the embedded ledger; its keys stay, and repeated writes are found',
    )
    .argument('<name>')
    .option('--data-dir <directory>', 'the data directory; without it LEDGER_DATA_DIR (data/ledger)')
    .option('--callers-file <file>', 'the callers file; without it LEDGER_CALLERS_FILE, or callers.json in --data-dir')
    .action(async (name: string, options: Options) => {
      const { dataDir = configured().LEDGER_DATA_DIR } = options;
      const certificatesDir = certificatesDirOf(fileOf(options));
      const { commonName, ends } = await renewCaller({ dataDir, name, certificatesDir });
      print(`${commonName} signs with a new certificate until ${ends}; what it signed before stays valid.`);
    });
}

function placed(command: Command): Command {
  return command
    .option('--callers-file <file>', 'the callers file; without it LEDGER_CALLERS_FILE')
    .addOption(
      new Option('--data-dir <directory>', 'callers.json in it; without it in LEDGER_DATA_DIR (data/ledger)').conflicts(
        'callersFile',
      ),
    );
}

function lifetime(flags: string, text: string): Option {
  return new Option(flags, text).argParser((value) => {
    const [, count = '', unit = ''] = /^([1-9][0-9]{0,6})([mhdw])$/.exec(value) ?? [];
    const milliseconds = Number(count) * (unit in UNITS ? UNITS[unit as keyof typeof UNITS] : 0);
    if (milliseconds === 0 || milliseconds > LONGEST_MS) {
      throw new InvalidArgumentError('Use a number and m, h, d or w, such as 90d; at most ten years.');
    }
    return milliseconds;
  });
}

function ending({ expires }: Options): { readonly expires?: Date } {
  return expires === undefined ? {} : { expires: new Date(Date.now() + expires) };
}

function fileOf({ callersFile, dataDir }: Options): string {
  if (callersFile !== undefined) return callersFile;
  if (dataDir !== undefined) return callersFileIn(dataDir);
  const variables = configured();
  return variables.LEDGER_CALLERS_FILE ?? callersFileIn(variables.LEDGER_DATA_DIR);
}

function configured(): Pick<Environment, 'LEDGER_DATA_DIR' | 'LEDGER_CALLERS_FILE'> {
  loadEnvFile();
  return readVariables(Environment, process.env, ['LEDGER_DATA_DIR', 'LEDGER_CALLERS_FILE']);
}

function table(list: readonly CallerEntry[]): string[] {
  const rows = [['NAME', 'ROLE', 'HOW'], ...list.map((entry) => [entry.name, entry.role, stateOf(entry)])];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

function stateOf({ revoked, subject, keys }: CallerEntry): string {
  if (revoked !== undefined) return `revoked ${revoked}`;
  const now = new Date();
  const parts = keys.map((key) => {
    if (key.expires === undefined) return `key ${key.id}`;
    return `key ${key.id} ${hasExpired(key, now) ? 'expired' : 'until'} ${key.expires}`;
  });
  if (subject !== undefined) parts.push(`subject ${JSON.stringify(subject)}`);
  return parts.length === 0 ? 'no key' : parts.join(', ');
}

/** The key alone goes to the standard output, so that a script can take it from there. */
function showKey(text: string): void {
  tell('Its key, which is shown only now:');
  print(text);
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
