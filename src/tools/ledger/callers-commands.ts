import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CallerEntry, Role } from '../../../apps/ledger-api/src/access/caller-entry.js';
import { loadImplementation, notify, print } from './command-output.js';

const CALLER_ROLES = ['reader', 'writer', 'admin'] as const satisfies readonly Role[];
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

/** Adds `callers …`, which manages the callers of the API. A running API applies a change within a second. */
export function addCallersCommands(program: Command): void {
  const callers = program
    .command('callers')
    .description('manages the callers of the API; a running API applies a change within a second');

  placed(callers.command('add'))
    .description('adds a caller and prints its new key, which is shown only once')
    .argument('<name>', 'characters a-z, 0-9, dot, dash and underscore')
    .addOption(new Option('--role <role>', 'its permissions').choices(CALLER_ROLES).default('reader'))
    .addOption(lifetime('--expires <time>', 'lifetime of the key, such as 90d, 12h or 4w'))
    .addOption(
      new Option(
        '--subject <value>',
        'identifies the caller by this claim in tokens of the configured issuer, instead of a key',
      ),
    )
    .action(async (name: string, options: Options) => {
      const { role, subject } = options;
      const caller = { name, role, withKey: subject === undefined, ...ending(options), ...(subject && { subject }) };
      const { addCaller, callersFileOf, changeCallers } = await loadImplementation();
      const { key } = await changeCallers(callersFileOf(options), (list) => addCaller(list, caller));
      notify(
        `${name} has the role ${role}${subject === undefined ? '' : `: ${JSON.stringify(subject)} of the issuer`}.`,
      );
      if (key !== undefined) showKey(key.text);
    });

  placed(callers.command('list'))
    .description('lists all callers with the ids of their keys')
    .action(async (options: Options) => {
      const { callersFileOf, hasExpired, readCallers } = await loadImplementation();
      const { callers: list = [] } = await readCallers(callersFileOf(options));
      for (const line of table(list, hasExpired)) print(line);
    });

  placed(callers.command('revoke'))
    .description('revokes a caller; its earlier writes stay valid')
    .argument('<name>')
    .option('--key <id>', 'revokes this key only')
    .action(async (name: string, { key: keyId, ...options }: Options) => {
      const { callersFileOf, changeCallers, revokeCaller } = await loadImplementation();
      await changeCallers(callersFileOf(options), (list) => revokeCaller(list, { name, keyId }));
      print(keyId === undefined ? `${name} is revoked.` : `The key ${keyId} of ${name} is revoked.`);
    });

  placed(callers.command('rotate'))
    .description('prints a new key of a caller and expires its others')
    .argument('<name>')
    .addOption(lifetime('--expires <time>', 'lifetime of the new key, such as 90d, 12h or 4w'))
    .addOption(lifetime('--overlap <time>', 'keeps the old keys valid for that long; by default they expire now'))
    .action(async (name: string, options: Options) => {
      const { overlap = 0 } = options;
      const { callersFileOf, changeCallers, rotateKeys } = await loadImplementation();
      const { key } = await changeCallers(callersFileOf(options), (list) =>
        rotateKeys(list, { name, overlap, ...ending(options) }),
      );
      notify(`${name} has a new key; the old ones ${overlap === 0 ? 'are refused' : 'expire after the overlap'}.`);
      if (key !== undefined) showKey(key.text);
    });

  callers
    .command('renew')
    .description(
      'issues a new certificate to a caller of the embedded ledger; its keys stay, and repeated writes are recognized',
    )
    .argument('<name>')
    .option('--data-dir <directory>', 'the data directory; default: LEDGER_DATA_DIR (data/ledger)')
    .option('--callers-file <file>', 'the callers file; default: LEDGER_CALLERS_FILE, or callers.json in --data-dir')
    .action(async (name: string, options: Options) => {
      const { callersFileOf, certificatesDirOf, configuredDirectory, renewCaller } = await loadImplementation();
      const { dataDir = configuredDirectory() } = options;
      const certificatesDir = certificatesDirOf(callersFileOf(options));
      const { commonName, ends } = await renewCaller({ dataDir, name, certificatesDir });
      print(`${commonName} signs with a new certificate until ${ends}; its earlier signatures stay valid.`);
    });
}

function placed(command: Command): Command {
  return command
    .option('--callers-file <file>', 'the callers file; default: LEDGER_CALLERS_FILE')
    .addOption(
      new Option(
        '--data-dir <directory>',
        'the directory of callers.json; default: LEDGER_DATA_DIR (data/ledger)',
      ).conflicts('callersFile'),
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

type HasExpired = (key: CallerEntry['keys'][number], now: Date) => boolean;

function table(list: readonly CallerEntry[], hasExpired: HasExpired): string[] {
  const rows = [['NAME', 'ROLE', 'HOW'], ...list.map((entry) => [entry.name, entry.role, stateOf(entry, hasExpired)])];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

function stateOf({ revoked, subject, keys }: CallerEntry, hasExpired: HasExpired): string {
  if (revoked !== undefined) return `revoked ${revoked}`;
  const now = new Date();
  const parts = keys.map((key) => {
    if (key.expires === undefined) return `key ${key.id}`;
    return `key ${key.id} ${hasExpired(key, now) ? 'expired' : 'until'} ${key.expires}`;
  });
  if (subject !== undefined) parts.push(`subject ${JSON.stringify(subject)}`);
  return parts.length === 0 ? 'no key' : parts.join(', ');
}

/** Prints only the key on standard output, so that a script can read it there. */
function showKey(text: string): void {
  notify('Its key, which is shown only once:');
  print(text);
}
