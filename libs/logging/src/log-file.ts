import { constants, open } from 'node:fs';
import { promisify } from 'node:util';
import { LogDestination } from './log-destination.js';
import { FileSink } from './log-sink.js';

/** So many characters wait for a disk that stands still; what comes on top of them is lost. */
const WAITING_LIMIT = 8 * 1_048_576;

/** A pipe that nobody reads is an error, and one that nobody reads any more makes nobody wait. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOCTTY;
/** What is in a log is for whoever runs the program; a file that is there keeps what it has. */
const OWNERS_ONLY = 0o600;

const openFile = promisify(open);

/** A log in a file of its own: never waits, never throws, holds a bounded number of lines, and counts those that it loses. */
export class LogFile extends LogDestination {
  readonly #sink: FileSink;

  private constructor(sink: FileSink, onLoss: (lines: number) => void) {
    super(sink, { limit: WAITING_LIMIT, onLoss });
    this.#sink = sink;
  }

  /**
   * Opens a file to append to it, and makes it, if it is not there.
   *
   * @param onLoss - is told of lines that could not be written
   * @throws what `open` of node:fs does
   */
  static async open(path: string, onLoss: (lines: number) => void): Promise<LogFile> {
    return new LogFile(new FileSink(await openFile(path, APPEND, OWNERS_ONLY)), onLoss);
  }

  /** Writes what waits, and closes the file; gives up what takes longer than a second. */
  async close(): Promise<void> {
    await this.flush();
    this.#sink.close();
  }
}
