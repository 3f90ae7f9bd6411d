import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { renewCaller } from '#embedded-ledger';
import {
  addCaller,
  type CallerAttributes,
  type CallerEntry,
  type CallerList,
  CallersError,
  certificatesDirOf,
  changeCallers,
  hasExpired,
  readCallers,
  requireCallerValues,
  revokeCaller,
  rotateKeys,
} from '#ledger-callers';
import { callersFileIn } from '#ledger-config';
import { notify, print } from '../command-line.js';
import { configured } from '../configured.js';

interface Options {
  readonly callersFile?: string;
  readonly dataDir?: string;
}

/** In milliseconds. */
interface KeyOptions extends Options {
  readonly expires?: number;
}

/** Adds a caller and prints its key. */
export async function add(
  name: string,
  options: KeyOptions & {
    readonly role: string;
    readonly subject?: string;
    readonly attr?: CallerAttributes;
    readonly new?: true;
  },
): Promise<void> {
  const { role, subject, attr: attributes } = options;
  requireCallerValues({ name, role, attributes, ...(subject !== undefined && { subject }) });
  const { file } = placesOf(options);
  if (options.new !== true) requireLedger(options);
  const login = { withKey: subject === undefined, ...expiryOf(options), ...(subject !== undefined && { subject }) };
  const caller = { name, role, attributes, ...login };
  const { key } = await changeCallers(file, (callers) => addCaller(callers, caller));
  notify(`${name} has the role ${role}${subject === undefined ? '' : `: ${JSON.stringify(subject)} of the issuer`}.`);
  notify(`Written to ${resolve(file)}.`);
  if (key !== undefined) printKey(key.text);
}

/** Lists all callers. */
export async function list(options: Options): Promise<void> {
  const callers = await existingCallers(placesOf(options).file);
  const rows = [['NAME', 'ROLE', 'HOW'], ...callers.map((entry) => [entry.name, entry.role, stateOf(entry)])];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) print(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

function stateOf({ revoked, subject, attributes = {}, keys }: CallerEntry): string {
  if (revoked !== undefined) return `revoked ${revoked}`;
  const now = new Date();
  const parts = keys.map((key) => {
    if (key.expires === undefined) return `key ${key.id}`;
    return `key ${key.id} ${hasExpired(key, now) ? 'expired' : 'until'} ${key.expires}`;
  });
  if (subject !== undefined) parts.push(`subject ${JSON.stringify(subject)}`);
  if (parts.length === 0) parts.push('no key');
  const shown = Object.entries(attributes).map(([attribute, value]) => `${attribute}=${JSON.stringify(value)}`);
  return [...parts, ...shown].join(', ');
}

/** Revokes a caller, or one of its keys. */
export async function revoke(name: string, options: Options & { readonly key?: string }): Promise<void> {
  const { key: keyId } = options;
  const { file } = placesOf(options);
  await existingCallers(file);
  await changeCallers(file, (callers) => revokeCaller(callers, { name, keyId }));
  print(keyId === undefined ? `${name} is revoked.` : `The key ${keyId} of ${name} is revoked.`);
}

/** Prints a new key of a caller and expires its others. */
export async function rotate(name: string, options: KeyOptions & { readonly overlap?: number }): Promise<void> {
  const { overlap = 0 } = options;
  const change = { name, overlap, ...expiryOf(options) };
  const { file } = placesOf(options);
  await existingCallers(file);
  const { key } = await changeCallers(file, (callers) => rotateKeys(callers, change));
  notify(`${name} has a new key; the old ones ${overlap === 0 ? 'are refused' : 'expire after the overlap'}.`);
  if (key !== undefined) printKey(key.text);
}

/** Issues a new certificate to a caller of the embedded ledger. */
export async function renew(name: string, options: Options): Promise<void> {
  const { dataDir, file } = placesOf(options);
  const { callers = [] } = await readCallers(file);
  const attributes = callers.find((entry) => entry.name === name)?.attributes;
  const certificatesDir = certificatesDirOf(file);
  const { commonName, ends } = await renewCaller({ dataDir, name, attributes, certificatesDir });
  print(`${commonName} signs with a new certificate until ${ends}; its earlier signatures stay valid.`);
}

/** Returns the data directory and the callers file: the specified ones, or those of the environment. */
function placesOf({ callersFile, dataDir }: Options): { readonly dataDir: string; readonly file: string } {
  const { LEDGER_DATA_DIR, LEDGER_CALLERS_FILE } = configured('LEDGER_DATA_DIR', 'LEDGER_CALLERS_FILE');
  const configuredFile = dataDir === undefined ? LEDGER_CALLERS_FILE : undefined;
  const directory = dataDir ?? LEDGER_DATA_DIR;
  return { dataDir: directory, file: callersFile ?? configuredFile ?? callersFileIn(directory) };
}

/**
 * Refuses a new callers file in a directory without a ledger: no server would read it, and its keys would be useless. A file
 * that the user or the environment names may be anywhere, and a Fabric network stores no ledger in the directory.
 * @throws {@link CallersError}
 */
function requireLedger(options: Options): void {
  const { dataDir, file } = placesOf(options);
  const { LEDGER_DRIVER: driver } = configured('LEDGER_DRIVER');
  const isNamed = resolve(file) !== resolve(callersFileIn(dataDir));
  if (isNamed || driver !== 'embedded' || existsSync(file) || existsSync(join(dataDir, 'ledger.json'))) return;
  throw new CallersError(
    `There is no ledger in ${resolve(dataDir)}. Name its directory by --data-dir, or create the callers of a new one by --new.`,
  );
}

/** @throws {@link CallersError} without a callers file */
async function existingCallers(file: string): Promise<CallerList> {
  const { callers } = await readCallers(file);
  if (callers === undefined) throw new CallersError(`There is no callers file ${resolve(file)}.`);
  return callers;
}

function expiryOf({ expires }: KeyOptions): { readonly expires?: Date } {
  return expires === undefined ? {} : { expires: new Date(Date.now() + expires) };
}

/** Prints only the key on standard output, so that a script can read it there. */
function printKey(text: string): void {
  notify('Its key, which is shown only once:');
  print(text);
}
