import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileLock, makeDirectory, writeFileDurably } from '#files';
import {
  generateKey,
  parseSignerKey,
  SignatureType,
  type SignerKey,
  signerKeyText,
  type WitnessedLog,
  type WitnessState,
} from '#tlog';
import { reasonOf } from '../command-line.js';
import { ToolError } from '../tool-error.js';

/** What state.json contains. */
interface StateFile {
  readonly version: 1;
  /** By origin. */
  readonly logs: Readonly<Record<string, WitnessedLog>>;
}

/**
 * The files of a witness: its key, and the newest checkpoint of each log that it confirmed. Without the latter it could confirm
 * two histories of one log, so that it never starts with a key alone.
 */
export class WitnessDirectory implements WitnessState {
  readonly key: SignerKey;
  readonly #file: string;
  #logs: ReadonlyMap<string, WitnessedLog>;

  private constructor(directory: string) {
    this.#file = join(directory, 'state.json');
    this.key = read(join(directory, 'key'), parseSignerKey);
    this.#logs = read(this.#file, (text) => new Map(Object.entries(parseState(text).logs)));
  }

  /**
   * Creates the files.
   * @param keyName - of the witness, such as `witness.example.org/lisbon`
   * @throws {@link ToolError} when there are any: the old key must not be lost
   */
  static create(directory: string, keyName: string): SignerKey {
    if (existsSync(directory)) throw new ToolError(`${directory} exists already: choose another name.`);
    const key = generateKey(keyName, SignatureType.COSIGNATURE);
    makeDirectory(directory);
    writeFileDurably(join(directory, 'state.json'), stateText(new Map()));
    writeFileDurably(join(directory, 'key'), `${signerKeyText(key)}\n`);
    return key;
  }

  /**
   * Opens the files for this process alone.
   * @throws {@link ToolError} when one is missing or damaged, or another process has them open
   */
  static open(directory: string): WitnessDirectory {
    if (!existsSync(directory)) throw new ToolError(`There is no ${directory}: create it with "witness init".`);
    // Before the state is read: another process could still change it. Held until this process ends.
    if (FileLock.acquire(join(directory, 'lock.db')) === undefined)
      throw new ToolError(`Another process serves the witness of ${directory}.`);
    return new WitnessDirectory(directory);
  }

  get(origin: string): WitnessedLog | undefined {
    return this.#logs.get(origin);
  }

  set(origin: string, log: WitnessedLog): void {
    const logs = new Map(this.#logs).set(origin, log);
    writeFileDurably(this.#file, stateText(logs));
    this.#logs = logs;
  }
}

function read<T>(file: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ToolError(
      `${file} cannot be used: ${reasonOf(error as Error)}. Restore it from a backup of this moment, or create a witness with ` +
        'another name: one that forgot what it confirmed could confirm a second history.',
    );
  }
}

/** @throws when it is not what {@link stateText} wrote */
function parseState(text: string): StateFile {
  const state = JSON.parse(text) as Partial<StateFile> | null;
  if (state?.version !== 1 || typeof state.logs !== 'object') throw new Error('it is not the state of a witness');
  for (const log of Object.values<Partial<WitnessedLog>>(state.logs)) {
    if (!Number.isSafeInteger(log.size) || typeof log.root !== 'string' || typeof log.checkpoint !== 'string')
      throw new Error('it is damaged');
  }
  return state as StateFile;
}

function stateText(logs: ReadonlyMap<string, WitnessedLog>): string {
  return `${JSON.stringify({ version: 1, logs: Object.fromEntries(logs) } satisfies StateFile, null, 2)}\n`;
}
