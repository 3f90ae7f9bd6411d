import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  FileLock,
  makeDirectory,
  newerFormatError,
  openingFault,
  replaceFileDurably,
  toolCommand,
  writeFileDurably,
} from '#files';
import type { TreeConfig } from '#ledger-config';
import { type LedgerError, misconfigured } from '#ledger-gateway';
import { requireReplaceable } from './tree-store.js';
import { generateKey, parseSignerKey, SignatureType, type SignerKey, signerKeyText, type VerifierKey } from '#tlog';

/** The newest format of state.json. */
const FORMAT = 1;

/** What state.json contains: what a replica has promised with its signatures. */
interface StateFile {
  readonly version: typeof FORMAT;
  /** The name of the log, which is that of its key. */
  readonly origin: string;
  /** The newest checkpoint that was signed, or '' before the first one. */
  readonly checkpoint: string;
  /** Why nothing is signed any more, or ''. */
  readonly fork: string;
}

const EMPTY = { version: FORMAT, checkpoint: '', fork: '' } as const;
const RENEW = `"${toolCommand('ledger')} tree renew"`;

/**
 * The state of a replica's tree that cannot be derived from blocks: its key, its newest signed checkpoint, and whether it is a
 * fork. It is held by one process at a time.
 */
export class TreeState {
  readonly directory: string;
  readonly key: SignerKey;
  #state: StateFile;
  #lock: FileLock | undefined;
  #written = Promise.resolve();

  private constructor(directory: string, lock: FileLock, state: StateFile, key: SignerKey) {
    this.directory = directory;
    this.key = key;
    this.#lock = lock;
    this.#state = state;
  }

  /**
   * Opens the state of a channel's tree, or creates it with a key.
   * @throws `LEDGER.MISCONFIGURED` when another process has it open, it is of another origin, or a file is damaged
   */
  static open(channel: string, config: TreeConfig): TreeState {
    const directory = directoryOf(channel, config);
    const lock = lockOf(directory);
    try {
      requireReplaceable(storeFile(directory));
      const state = stateOf(channel, config);
      if (!existsSync(stateFile(directory))) writeFileDurably(stateFile(directory), textOf(state));
      return new TreeState(directory, lock, state, keyOf(state, config.keyFile));
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Checks that {@link open} would succeed if no other process has the tree open. Writes nothing.
   * @throws `LEDGER.MISCONFIGURED`
   */
  static check(channel: string, config: TreeConfig): void {
    const lock = lockFile(directoryOf(channel, config));
    const fault = openingFault(lock);
    if (fault !== undefined) throw notWritable(lock, fault);
    requireReplaceable(storeFile(directoryOf(channel, config)));
    findKey(stateOf(channel, config), config.keyFile);
  }

  /**
   * Begins a new log of a channel after a fork, with a new origin and key. Earlier checkpoints remain valid for the
   * blocks that they cover.
   * @returns the new key
   */
  static renew(channel: string, config: TreeConfig): SignerKey {
    const directory = directoryOf(channel, config);
    const lock = lockOf(directory);
    try {
      const base = originOf(channel, config.origin);
      const previous = readState(directory);
      const names = [previous?.origin ?? '', ...keysIn(config.keyFile).map(({ name }) => name)];
      const last = Math.max(...names.map((name) => generationOf(name, base)));
      const state: StateFile = { ...EMPTY, origin: last === 0 ? base : `${base}.${last + 1}` };
      if (previous !== undefined) writeFileDurably(join(directory, `previous-${Date.now()}.json`), textOf(previous));
      writeFileDurably(stateFile(directory), textOf(state));
      const key = keyOf(state, config.keyFile);
      return key;
    } finally {
      lock.release();
    }
  }

  /** Returns the key of a channel's tree, without the right to use it; undefined if there is none. */
  static keyOf(channel: string, config: TreeConfig): VerifierKey | undefined {
    const origin = readState(directoryOf(channel, config))?.origin;
    return keysIn(config.keyFile).find(({ name }) => name === origin);
  }

  /** The file of the tree's entries and tiles. */
  get storeFile(): string {
    return storeFile(this.directory);
  }

  get checkpoint(): string {
    return this.#state.checkpoint;
  }

  /** Why nothing may be signed; '' if it may. */
  get fork(): string {
    return this.#state.fork;
  }

  /** Stores a signed checkpoint, or that the tree is a fork. Resolves when it is durable. */
  async save(change: Partial<Pick<StateFile, 'checkpoint' | 'fork'>>): Promise<void> {
    const write = this.#written.then(async () => {
      const state = { ...this.#state, ...change };
      await replaceFileDurably(stateFile(this.directory), textOf(state));
      this.#state = state;
    });
    this.#written = write.catch(() => undefined);
    await write;
  }

  async close(): Promise<void> {
    await this.#written;
    this.#lock?.release();
    this.#lock = undefined;
  }
}

function directoryOf(channel: string, { directory }: TreeConfig): string {
  return join(directory, channel);
}

function stateFile(directory: string): string {
  return join(directory, 'state.json');
}

function storeFile(directory: string): string {
  return join(directory, 'tree.db');
}

/** Returns the origin of a channel's tree: NAME/REPLICA becomes NAME/CHANNEL/REPLICA. */
function originOf(channel: string, configured: string): string {
  const end = configured.lastIndexOf('/');
  return `${configured.slice(0, end)}/${channel}${configured.slice(end)}`;
}

/** Returns 1 for an origin, 2 and more for its renewals; 0 for an origin of another base. */
function generationOf(origin: string, base: string): number {
  if (origin === base) return 1;
  const suffix = origin.startsWith(`${base}.`) ? origin.slice(base.length + 1) : '';
  return /^[1-9][0-9]{0,8}$/.test(suffix) ? Number(suffix) : 0;
}

/**
 * Returns the stored state of a channel's tree, or that of a log that has signed nothing.
 * @throws `LEDGER.MISCONFIGURED`
 */
function stateOf(channel: string, config: TreeConfig): StateFile {
  const directory = directoryOf(channel, config);
  const origin = originOf(channel, config.origin);
  const state = readState(directory) ?? newState(directory, origin, config.keyFile);
  if (generationOf(state.origin, origin) > 0) return state;
  const advice = `Set LEDGER_TREE_ORIGIN back, or begin a new one with ${RENEW}.`;
  throw misconfigured(`The tree in ${directory} was signed as ${state.origin}, not as ${origin}. ${advice}`);
}

/** @throws `LEDGER.MISCONFIGURED` when a new log has a key: then the state was lost, and with it what the key has signed */
function newState(directory: string, origin: string, keyFile: string): StateFile {
  if (keysIn(keyFile).some(({ name }) => generationOf(name, origin) > 0)) {
    const file = stateFile(directory);
    throw misconfigured(
      `${file} is missing, so that it is unknown what the key of ${origin} has signed. Restore it, or begin a new origin with ${RENEW}.`,
    );
  }
  return { ...EMPTY, origin };
}

function lockFile(directory: string): string {
  return join(directory, 'lock.db');
}

function notWritable(path: string, code: string): LedgerError {
  return misconfigured(`${path} cannot be written (${code}): check its owner and permissions.`);
}

function lockOf(directory: string): FileLock {
  const path = lockFile(directory);
  let lock: FileLock | undefined;
  try {
    makeDirectory(directory);
    lock = FileLock.acquire(path);
  } catch (error) {
    throw notWritable(path, (error as NodeJS.ErrnoException).code ?? 'unknown');
  }
  if (lock !== undefined) return lock;
  throw misconfigured(
    `Another process signs the tree in ${directory}. Stop it first; replicas need their own LEDGER_DATA_DIR and LEDGER_TREE_ORIGIN.`,
  );
}

function readState(directory: string): StateFile | undefined {
  const file = stateFile(directory);
  if (!existsSync(file)) return undefined;
  const state = parsedState(file);
  // A renewal would abandon the key, although the program that wrote the file can use it.
  const newer = newerFormatError(file, state?.version, FORMAT);
  if (newer !== undefined) throw misconfigured(newer);
  const texts = [state?.origin, state?.checkpoint, state?.fork];
  if (state?.version === FORMAT && texts.every((text) => typeof text === 'string')) return state as StateFile;
  throw misconfigured(`${file} is damaged, so that it is unknown what was signed. Move it away and run ${RENEW}.`);
}

/** Returns undefined for a file that is unreadable or not JSON. */
function parsedState(file: string): Partial<StateFile> | null | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<StateFile> | null;
  } catch {
    return undefined;
  }
}

/** Returns the key of an origin from a file with one key on each line; creates it before the first signature. */
function keyOf(state: StateFile, file: string): SignerKey {
  const known = findKey(state, file);
  if (known !== undefined) return known;
  const key = generateKey(state.origin, SignatureType.ED25519);
  writeFileDurably(file, [...keysIn(file), key].map((each) => `${signerKeyText(each)}\n`).join(''));
  return key;
}

/** @throws `LEDGER.MISCONFIGURED` when the key of a log that has signed is missing */
function findKey({ origin, checkpoint }: StateFile, file: string): SignerKey | undefined {
  const known = keysIn(file).find(({ name }) => name === origin);
  if (known !== undefined || checkpoint === '') return known;
  const advice = `Restore it, or begin a new origin with ${RENEW}.`;
  throw misconfigured(`${file} lacks the key of ${origin}, which has signed checkpoints. ${advice}`);
}

function keysIn(file: string): readonly SignerKey[] {
  if (!existsSync(file)) return [];
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    throw misconfigured(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
  try {
    return lines.filter((line) => line.trim() !== '').map(parseSignerKey);
  } catch (error) {
    throw misconfigured(`${file} contains a line that is not a key: ${(error as Error).message}.`);
  }
}

function textOf(state: StateFile): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}
