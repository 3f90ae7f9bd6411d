import { accessSync, chmodSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedError, MisconfiguredError } from '../../../errors/ledger.errors.js';
import { writeFileDurably } from './write-file-durably.js';

/** The newest layout of the data directory that this program reads and the one it writes. */
export const DIRECTORY_FORMAT = 1;

/** The version under which the contract's transactions name their chaincode. */
export const CHAINCODE_VERSION = '1.0';

/** What a data directory is made for; fixed at its first start. */
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

  get lock(): string {
    return join(this.path, 'lock.db');
  }

  get identities(): string {
    return join(this.path, 'identities');
  }

  channel(name: string): string {
    return join(this.path, 'channels', name);
  }

  store(channel: string): string {
    return join(this.channel(channel), 'ledger.db');
  }

  pin(channel: string): string {
    return join(this.channel(channel), 'head.pin');
  }

  /** Whether a ledger lives here. */
  exists(): boolean {
    return existsSync(this.manifest);
  }

  /**
   * Makes the directory when it is missing, readable by its owner only, and checks that it can be written.
   * @throws {@link MisconfiguredError} when it cannot be made or written
   */
  prepare(): void {
    try {
      if (!existsSync(this.path)) mkdirSync(this.path, { recursive: true, mode: 0o700 });
      accessSync(this.path, constants.R_OK | constants.W_OK | constants.X_OK);
      if (!this.exists()) chmodSync(this.path, 0o700);
    } catch (cause) {
      throw new MisconfiguredError(
        `The data directory ${this.path} cannot be written (${(cause as NodeJS.ErrnoException).code ?? 'unknown'}): ` +
          'check its owner and permissions, or name another one.',
        { cause },
      );
    }
  }

  /** Writes what this directory is made for; the last step of making it. */
  claim({ channel, chaincode, mspId }: LedgerNames): void {
    const manifest = { format: DIRECTORY_FORMAT, channel, chaincode, mspId };
    writeFileDurably(this.manifest, `${JSON.stringify(manifest, null, 2)}\n`);
  }

  /**
   * What the directory was made for.
   * @throws {@link DamagedError} when its manifest is not readable, {@link MisconfiguredError} when its format is newer or
   * there is no ledger
   */
  names(): LedgerNames {
    if (!this.exists()) throw new MisconfiguredError(`There is no ledger in ${this.path}: ledger.json is missing.`);
    const { format, channel, chaincode, mspId } = this.#readManifest();
    if (typeof format === 'number' && format > DIRECTORY_FORMAT) {
      throw new MisconfiguredError(
        `${this.path} has format ${format}; this program reads up to format ${DIRECTORY_FORMAT}: use the newer program that wrote it.`,
      );
    }
    if (format !== DIRECTORY_FORMAT || ![channel, chaincode, mspId].every((name) => typeof name === 'string')) {
      throw new DamagedError(`${this.manifest} is not what a ledger wrote there: restore it from a backup.`);
    }
    return { channel, chaincode, mspId } as LedgerNames;
  }

  #readManifest(): Record<string, unknown> {
    try {
      const read: unknown = JSON.parse(readFileSync(this.manifest, 'utf8'));
      if (typeof read === 'object' && read !== null) return read as Record<string, unknown>;
    } catch (cause) {
      throw new DamagedError(`${this.manifest} cannot be read: restore it from a backup.`, { cause });
    }
    throw new DamagedError(`${this.manifest} is not what a ledger wrote there: restore it from a backup.`);
  }

  /**
   * Refuses names other than those the directory was made for.
   * @throws {@link MisconfiguredError} naming the first that differs
   */
  requireNames(wanted: LedgerNames): void {
    const made = this.names();
    for (const { name, setting } of RULES) {
      if (made[name] === wanted[name]) continue;
      throw new MisconfiguredError(
        `${this.path} was made for ${setting} "${made[name]}", not "${wanted[name]}": set it back, or name another data directory.`,
      );
    }
  }
}

/**
 * Refuses names that Fabric would not take.
 * @throws {@link MisconfiguredError} naming the first bad one
 */
export function checkNames(names: LedgerNames): void {
  for (const { name, setting, pattern } of RULES) {
    if (pattern.test(names[name])) continue;
    throw new MisconfiguredError(
      `The ${setting} ${JSON.stringify(names[name])} is not one that Fabric takes: ${pattern.source}`,
    );
  }
}
