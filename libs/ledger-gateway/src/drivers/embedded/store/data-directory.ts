import { accessSync, chmodSync, constants, existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { makeDirectory, syncDirectory, writeFileDurably } from '../../../files/durable-files.js';
import { FileLock } from '../../../files/file-lock.js';
import { createPrivateFile } from './open-store.js';
import { storeFailure } from './store-failure.js';

/** The newest layout of the data directory that this program reads and the one it writes. */
export const DIRECTORY_FORMAT = 1;

/** The version under which the contract's transactions name their chaincode. */
export const CHAINCODE_VERSION = '1.0';

/** The names that a data directory is created for; they never change. */
export interface LedgerNames {
  readonly channel: string;
  readonly chaincode: string;
  readonly mspId: string;
}

/** Fabric's own rules for names (channel: configtx validator; chaincode: lifecycle), so that an exported block stays readable. */
const RULES: readonly { readonly name: keyof LedgerNames; readonly setting: string; readonly pattern: RegExp }[] = [
  { name: 'channel', setting: 'channel', pattern: /^[a-z][a-z0-9.-]{0,248}$/ },
  { name: 'chaincode', setting: 'chaincode', pattern: /^[a-zA-Z0-9]+([-_][a-zA-Z0-9]+)*$/ },
  { name: 'mspId', setting: 'MSP ID', pattern: /^[a-zA-Z0-9][a-zA-Z0-9.-]{0,248}$/ },
];

/** The paths inside a data directory. */
export class DataDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get manifest(): string {
    return join(this.path, 'ledger.json');
  }

  /** Exists during the first start, and becomes the manifest. */
  get unfinished(): string {
    return `${this.manifest}.unfinished`;
  }

  get lock(): string {
    return join(this.path, 'lock.db');
  }

  get identities(): string {
    return join(this.path, 'identities');
  }

  get channels(): string {
    return join(this.path, 'channels');
  }

  /** A channel's folder in the making. */
  get rebuilt(): string {
    return join(this.path, 'rebuilt');
  }

  /** The folder of the channels that a rebuild replaced. */
  get replaced(): string {
    return join(this.path, 'replaced');
  }

  channel(name: string): string {
    return join(this.channels, name);
  }

  store(channel: string): string {
    return join(this.channel(channel), 'ledger.db');
  }

  pin(channel: string): string {
    return join(this.channel(channel), 'head.pin');
  }

  /** Returns whether the directory contains a ledger. */
  exists(): boolean {
    return existsSync(this.manifest);
  }

  /**
   * Makes the directory when it is missing, readable by its owner only, and checks that it can be written.
   * @throws `LEDGER.MISCONFIGURED` when it cannot be made or written
   */
  prepare(): void {
    try {
      makeDirectory(this.path);
      accessSync(this.path, constants.R_OK | constants.W_OK | constants.X_OK);
      if (!this.exists()) chmodSync(this.path, 0o700);
    } catch (cause) {
      throw notWritable(this.path, cause);
    }
  }

  /**
   * Takes the directory for this process; the lock is released at the end.
   * @throws `LEDGER.MISCONFIGURED` when another process has it
   */
  hold(): FileLock {
    createPrivateFile(this.lock);
    let lock: FileLock | undefined;
    try {
      lock = FileLock.acquire(this.lock);
    } catch (error) {
      throw storeFailure(error, this.lock);
    }
    if (lock !== undefined) return lock;
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `Another process uses the data directory ${this.path}: stop it first, or name another data directory.`,
    );
  }

  /**
   * Begins to create a ledger, or continues after an interrupted start. Until {@link claim}, the directory contains nothing
   * that was acknowledged.
   * @throws `LEDGER.DAMAGED` when it contains identities or blocks without a manifest
   */
  beginClaim(names: LedgerNames): void {
    const left = [this.identities, this.channels].find((path) => existsSync(path));
    if (left !== undefined && !existsSync(this.unfinished)) {
      throw new LedgerError(
        'LEDGER.DAMAGED',
        `${left} is of a ledger, but its ledger.json is missing: restore it from a backup, or name another data directory.`,
      );
    }
    writeFileDurably(this.unfinished, manifestText(names));
  }

  /** Ends a rebuild that was cut short between taking the old folder of a channel away and putting the new one there. */
  finishRebuild(channel: string): void {
    const place = this.channel(channel);
    if (existsSync(place) || !existsSync(join(this.rebuilt, 'head.pin'))) return;
    renameSync(this.rebuilt, place);
    syncDirectory(this.channels);
    syncDirectory(this.path);
  }

  /** Writes the manifest, which is the last step of creating a ledger. */
  claim(names: LedgerNames): void {
    if (!existsSync(this.unfinished)) writeFileDurably(this.unfinished, manifestText(names));
    renameSync(this.unfinished, this.manifest);
    syncDirectory(this.path);
  }

  /**
   * Returns the names that the directory was created for.
   * @throws `LEDGER.DAMAGED` when its manifest is not readable, `LEDGER.MISCONFIGURED` when its format is newer or
   * there is no ledger
   */
  names(): LedgerNames {
    if (!this.exists())
      throw new LedgerError('LEDGER.MISCONFIGURED', `There is no ledger in ${this.path}: ledger.json is missing.`);
    const { format, channel, chaincode, mspId } = this.#readManifest();
    if (typeof format === 'number' && format > DIRECTORY_FORMAT) {
      throw new LedgerError(
        'LEDGER.MISCONFIGURED',
        `${this.path} has format ${format}; this program reads up to format ${DIRECTORY_FORMAT}: use the newer program that wrote it.`,
      );
    }
    if (format !== DIRECTORY_FORMAT || ![channel, chaincode, mspId].every((name) => typeof name === 'string')) {
      throw new LedgerError(
        'LEDGER.DAMAGED',
        `${this.manifest} is not what a ledger wrote there: restore it from a backup.`,
      );
    }
    return { channel, chaincode, mspId } as LedgerNames;
  }

  #readManifest(): Record<string, unknown> {
    try {
      const read: unknown = JSON.parse(readFileSync(this.manifest, 'utf8'));
      if (typeof read === 'object' && read !== null) return read as Record<string, unknown>;
    } catch (cause) {
      throw new LedgerError('LEDGER.DAMAGED', `${this.manifest} cannot be read: restore it from a backup.`, { cause });
    }
    throw new LedgerError(
      'LEDGER.DAMAGED',
      `${this.manifest} is not what a ledger wrote there: restore it from a backup.`,
    );
  }

  /**
   * Refuses names other than those the directory was made for.
   * @throws `LEDGER.MISCONFIGURED` naming the first that differs
   */
  requireNames(wanted: LedgerNames): void {
    const made = this.names();
    for (const { name, setting } of RULES) {
      if (made[name] === wanted[name]) continue;
      throw new LedgerError(
        'LEDGER.MISCONFIGURED',
        `${this.path} was made for ${setting} "${made[name]}", not "${wanted[name]}": set it back, or name another data directory.`,
      );
    }
  }
}

function manifestText({ channel, chaincode, mspId }: LedgerNames): string {
  return `${JSON.stringify({ format: DIRECTORY_FORMAT, channel, chaincode, mspId }, null, 2)}\n`;
}

/**
 * Refuses names that Fabric would not take.
 * @throws `LEDGER.MISCONFIGURED` naming the first bad one
 */
export function checkNames(names: LedgerNames): void {
  for (const { name, setting, pattern } of RULES) {
    if (pattern.test(names[name])) continue;
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `The ${setting} ${JSON.stringify(names[name])} is not one that Fabric takes: ${pattern.source}`,
    );
  }
}

/**
 * Checks that a ledger can be opened or created in a directory with these names. Writes nothing.
 * @throws `LEDGER.MISCONFIGURED` or `LEDGER.DAMAGED` with the reason
 */
export function checkDataDirectory({ dataDir, ...names }: LedgerNames & { readonly dataDir: string }): void {
  checkNames(names);
  const directory = new DataDirectory(dataDir);
  let existing = resolve(dataDir);
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    if (!statSync(existing).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw notWritable(dataDir, cause);
  }
  if (directory.exists()) directory.requireNames(names);
}

function notWritable(path: string, cause: unknown): LedgerError {
  return new LedgerError(
    'LEDGER.MISCONFIGURED',
    `The data directory ${path} cannot be written (${(cause as NodeJS.ErrnoException).code ?? 'unknown'}): ` +
      'check its owner and permissions, or name another one.',
    { cause },
  );
}

/**
 * Creates a directory, readable by its owner only, or accepts an empty one.
 * @throws `LEDGER.MISCONFIGURED` when something does, or it cannot be made
 */
export function requireEmptyDirectory(path: string): void {
  let entries: string[];
  try {
    makeDirectory(path);
    entries = readdirSync(path);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new LedgerError('LEDGER.MISCONFIGURED', `${path} cannot be made or read (${code}): name another directory.`, {
      cause,
    });
  }
  if (entries.length > 0) throw new LedgerError('LEDGER.MISCONFIGURED', `${path} is not empty: name a new directory.`);
}
