import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseCheckpoint, type TreeHead } from '#tlog';
import type { TreeLogger } from './tree-logger.js';

/** A checkpoint with its text, which is a signed note. */
export interface SignedCheckpoint extends TreeHead {
  readonly text: string;
}

/**
 * The newest checkpoint of a tree that witnesses have confirmed, with its file. Without the file the tree is sent to the witnesses again,
 * so that it is not synced, and a file that cannot be read or written is reported and not an error.
 */
export class WitnessedCheckpoint {
  readonly #file: string;
  readonly #logger: TreeLogger;
  #newest: SignedCheckpoint | undefined;
  #isFailing = false;

  /** @param origin - of the tree: a file of a previous origin does not count */
  constructor(file: string, origin: string, logger: TreeLogger) {
    this.#file = file;
    this.#logger = logger;
    this.#newest = this.#read(origin);
  }

  get newest(): SignedCheckpoint | undefined {
    return this.#newest;
  }

  save(text: string): void {
    this.#newest = signedCheckpoint(text);
    const staged = `${this.#file}.new`;
    try {
      writeFileSync(staged, text);
      renameSync(staged, this.#file);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#logger.warn({ err: error }, 'the witnessed checkpoint cannot be stored');
      this.#isFailing = true;
    }
  }

  #read(origin: string): SignedCheckpoint | undefined {
    if (!existsSync(this.#file)) return undefined;
    try {
      const text = readFileSync(this.#file, 'utf8');
      return parseCheckpoint(text).origin === origin ? signedCheckpoint(text) : undefined;
    } catch (error) {
      this.#logger.warn(
        { err: error, file: this.#file },
        'the witnessed checkpoint cannot be read: witnesses are asked again',
      );
      return undefined;
    }
  }
}

/** @throws `TlogFault` when it is not a signed note */
export function signedCheckpoint(text: string): SignedCheckpoint {
  const { size, root } = parseCheckpoint(text);
  return { size, root, text };
}
