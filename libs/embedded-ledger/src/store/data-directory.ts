import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  createPrivateFile,
  directoryFault,
  FileLock,
  makeDirectory,
  newerFormatError,
  syncDirectory,
  writeFileDurably,
} from '#files';
import { damaged, type LedgerError, misconfigured } from '#ledger-gateway';
import { codeOf, createStoreFile, requireWritable } from './open-store.js';
import { storeFailure } from './store-failure.js';

/** The newest layout of the data directory that this program reads and the one it writes. */
const DIRECTORY_FORMAT = 1;

/** The files in the folder of a channel. */
export const STORE_FILE = 'ledger.db';
export const PIN_FILE = 'head.pin';

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

/** The directory of a ledger: its paths, its lock and its manifest. */
export class DataDirectory {
  readonly path: string;
  readonly manifest: string;
  readonly identities: string;
  readonly channels: string;
  readonly lockFile: string;
  /** A channel's folder that a rebuild is creating. */
  readonly rebuilt: string;
  /** The folder of the channels that a rebuild replaced. */
  readonly replaced: string;
  /** The folder of private values, which do not follow from the blocks: a rebuild leaves it as it is. */
  readonly privateValues: string;
  /** The definitions of private collections. */
  readonly collections: string;
  /** Exists during the first start, and becomes the manifest. */
  readonly #unfinished: string;
  /** Exists while a backup or an import fills the directory. */
  readonly #copying: string;

  constructor(path: string) {
    this.path = path;
    this.manifest = join(path, 'ledger.json');
    this.identities = join(path, 'identities');
    this.channels = join(path, 'channels');
    this.lockFile = join(path, 'lock.db');
    this.rebuilt = join(path, 'rebuilt');
    this.replaced = join(path, 'replaced');
    this.privateValues = join(path, 'private');
    this.collections = join(path, 'collections.json');
    this.#unfinished = `${this.manifest}.unfinished`;
    this.#copying = join(path, 'copy.unfinished');
  }

  channel(name: string): string {
    return join(this.channels, name);
  }

  /** Returns the folder that a start would read: during an unfinished rebuild it is not at its place yet. */
  readableChannel(name: string): string {
    return this.#isRebuildUnfinished(name) ? this.rebuilt : this.channel(name);
  }

  store(channel: string): string {
    return join(this.channel(channel), STORE_FILE);
  }

  pin(channel: string): string {
    return join(this.channel(channel), PIN_FILE);
  }

  /** Returns the file with the private values of a channel, which may not exist. */
  valuesOf(channel: string): string {
    return join(this.privateValues, `${channel}.db`);
  }

  /** Returns whether the directory contains a ledger. */
  exists(): boolean {
    return existsSync(this.manifest);
  }

  /**
   * Creates the directory when it is missing, readable by its owner only, and checks that it can be written.
   * @throws `LEDGER.MISCONFIGURED` when it cannot be created or written
   */
  prepare(): void {
    try {
      makeDirectory(this.path);
      accessSync(this.path, constants.R_OK | constants.W_OK | constants.X_OK);
      if (!this.exists()) chmodSync(this.path, 0o700);
    } catch (cause) {
      throw notWritable(this.path, codeOf(cause), cause);
    }
  }

  /**
   * Locks the directory for this process until the lock is released or the process ends.
   * @param advice - what to do when another process holds it
   * @throws `LEDGER.MISCONFIGURED` when another process holds the lock
   */
  lock(advice = 'stop it first, or name another data directory.'): FileLock {
    const path = this.lockFile;
    if (FileLock.isHeldHere(path)) {
      throw misconfigured(`This process (${process.pid}) uses the data directory ${this.path} already: ${advice}`);
    }
    createStoreFile(path);
    let lock: FileLock | undefined;
    try {
      lock = FileLock.acquire(path);
    } catch (error) {
      throw storeFailure(error, path);
    }
    const holder = join(this.path, 'lock.pid');
    if (lock === undefined) {
      throw misconfigured(`Another process${processIn(holder)} uses the data directory ${this.path}: ${advice}`);
    }
    try {
      createPrivateFile(holder);
      writeFileSync(holder, `${process.pid}\n`);
    } catch {
      // Such as on a full disk: the next opener learns of the lock, and not of the process.
    }
    return lock;
  }

  /**
   * Runs a task while this process holds the lock.
   * @param advice - what to do when another process holds it
   * @throws `LEDGER.MISCONFIGURED` when another process holds it
   */
  async withLock<T>(task: () => Promise<T>, advice?: string): Promise<T> {
    const lock = this.lock(advice);
    try {
      return await task();
    } finally {
      lock.release();
    }
  }

  /**
   * Begins to fill the directory with a copy of a ledger, and removes what an interrupted copy left. Until {@link finishCopy}, the
   * directory is no ledger.
   * @throws `LEDGER.MISCONFIGURED` when it contains anything else
   */
  beginCopy(): void {
    if (existsSync(this.#copying) && !this.exists()) {
      for (const path of [this.identities, this.channels, this.privateValues, this.collections, this.#unfinished])
        rmSync(path, { recursive: true, force: true });
    } else if (
      [this.identities, this.channels, this.privateValues, this.collections, this.manifest].some((path) =>
        existsSync(path),
      )
    ) {
      throw misconfigured(`${this.path} is not empty: name a new directory.`);
    }
    writeFileDurably(this.#copying, '');
  }

  /** Removes what a copy that failed has written. */
  undoCopy(): void {
    for (const path of [this.identities, this.channels, this.privateValues, this.collections, this.#copying])
      rmSync(path, { recursive: true, force: true });
  }

  /** Completes a copy, after its manifest was written. */
  finishCopy(): void {
    rmSync(this.#copying, { force: true });
  }

  /** Returns whether the directory contains an interrupted copy. */
  isInterruptedCopy(): boolean {
    return existsSync(this.#copying) && !this.exists();
  }

  /**
   * Begins to create a ledger, or continues after an interrupted start. Until {@link claim}, the directory contains nothing
   * that was acknowledged.
   * @throws `LEDGER.DAMAGED` when it contains identities or blocks without a manifest
   */
  beginClaim(names: LedgerNames): void {
    this.requireClaimable();
    writeFileDurably(this.#unfinished, manifestText(names));
  }

  /** @throws `LEDGER.DAMAGED` when the directory contains identities or blocks without a manifest */
  requireClaimable(): void {
    if (this.isInterruptedCopy()) {
      throw damaged(
        `${this.path} contains an interrupted backup or import: repeat it, or name another data directory.`,
      );
    }
    const left = [this.identities, this.channels].find((path) => existsSync(path));
    if (left !== undefined && !existsSync(this.#unfinished)) {
      const advice = 'restore it from a backup, or name another data directory.';
      throw damaged(`${left} is of a ledger, but its ledger.json is missing: ${advice}`);
    }
  }

  /** Writes the manifest, which is the last step of creating a ledger. */
  claim(names: LedgerNames): void {
    if (!existsSync(this.#unfinished)) writeFileDurably(this.#unfinished, manifestText(names));
    // A crash before the rename is durable leaves an unfinished ledger, which the next start completes.
    renameSync(this.#unfinished, this.manifest);
    syncDirectory(this.path);
  }

  /** Completes a rebuild that was interrupted between moving the old folder of a channel away and the new one to its place. */
  finishRebuild(channel: string): void {
    if (!this.#isRebuildUnfinished(channel)) return;
    // A crash before the rename is durable leaves the rebuilt folder with its pin, and the next start renames it.
    renameSync(this.rebuilt, this.channel(channel));
    syncDirectory(this.channels);
    syncDirectory(this.path);
  }

  /**
   * Returns the names that the directory was created for.
   * @throws `LEDGER.DAMAGED` when its manifest is not readable, `LEDGER.MISCONFIGURED` when its format is newer or
   * there is no ledger
   */
  names(): LedgerNames {
    if (!this.exists()) throw misconfigured(`There is no ledger in ${this.path}: ledger.json is missing.`);
    const { format, channel, chaincode, mspId } = this.#readManifest() ?? {};
    const newer = newerFormatError(this.path, format, DIRECTORY_FORMAT);
    if (newer !== undefined) throw misconfigured(newer);
    if (format !== DIRECTORY_FORMAT || ![channel, chaincode, mspId].every((name) => typeof name === 'string')) {
      throw damaged(`${this.manifest} is not the manifest of a ledger: restore it from a backup.`);
    }
    return { channel, chaincode, mspId } as LedgerNames;
  }

  #isRebuildUnfinished(channel: string): boolean {
    return !existsSync(this.channel(channel)) && existsSync(join(this.rebuilt, PIN_FILE));
  }

  /** Returns undefined when the file cannot be read or is not JSON. */
  #readManifest(): Record<string, unknown> | null | undefined {
    try {
      return JSON.parse(readFileSync(this.manifest, 'utf8')) as Record<string, unknown> | null;
    } catch {
      return undefined;
    }
  }

  /**
   * Refuses names other than those the directory was created for.
   * @throws `LEDGER.MISCONFIGURED` naming the first that differs
   */
  requireNames(wanted: LedgerNames): void {
    const made = this.names();
    for (const { name, setting } of RULES) {
      if (made[name] === wanted[name]) continue;
      const difference = `was created for ${setting} "${made[name]}", not "${wanted[name]}"`;
      throw misconfigured(`${this.path} ${difference}: set it back, or name another data directory.`);
    }
  }
}

function manifestText({ channel, chaincode, mspId }: LedgerNames): string {
  return `${JSON.stringify({ format: DIRECTORY_FORMAT, channel, chaincode, mspId }, null, 2)}\n`;
}

/**
 * Refuses names that Fabric would not accept.
 * @throws `LEDGER.MISCONFIGURED` naming the first invalid one
 */
export function checkNames(names: LedgerNames): void {
  for (const { name, setting, pattern } of RULES) {
    if (pattern.test(names[name])) continue;
    const value = JSON.stringify(names[name]);
    throw misconfigured(`The ${setting} ${value} is not one that Fabric accepts: ${pattern.source}`);
  }
}

/**
 * Checks that a ledger can be opened or created in a directory with these names. Writes nothing.
 * @throws `LEDGER.MISCONFIGURED` or `LEDGER.DAMAGED` with the reason
 */
export function checkDataDirectory({ dataDir, ...names }: LedgerNames & { readonly dataDir: string }): void {
  checkNames(names);
  const directory = new DataDirectory(dataDir);
  const fault = directoryFault(dataDir);
  if (fault !== undefined) throw notWritable(dataDir, fault);
  requireWritable(directory.lockFile);
  if (directory.exists()) directory.requireNames(names);
  else directory.requireClaimable();
}

function notWritable(path: string, code: string, cause?: unknown): LedgerError {
  const advice = 'check its owner and permissions, or name another one.';
  return misconfigured(`The data directory ${path} cannot be written (${code}): ${advice}`, cause);
}

/** Returns the process that a file names, in parentheses, or nothing. */
function processIn(file: string): string {
  try {
    const [pid = ''] = /^[0-9]{1,10}/.exec(readFileSync(file, 'utf8')) ?? [];
    return pid === '' ? '' : ` (${pid})`;
  } catch {
    return '';
  }
}

/**
 * Creates a directory, readable by its owner only, or accepts an empty one.
 * @throws `LEDGER.MISCONFIGURED` when it is not empty or cannot be created
 */
export function requireEmptyDirectory(path: string): void {
  let entries: string[];
  try {
    makeDirectory(path);
    entries = readdirSync(path);
  } catch (cause) {
    throw misconfigured(`${path} cannot be created or read (${codeOf(cause)}): name another directory.`, cause);
  }
  if (entries.length > 0) throw misconfigured(`${path} is not empty: name a new directory.`);
}
