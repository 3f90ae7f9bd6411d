import { createEmbeddedLedger, verifyLedger } from '#embedded-ledger';
import { decodeBlock, keyChanges } from '#fabric-codec';
import { type Ledger, LedgerError } from '#ledger-gateway';
import { readRecord, readSealed, RECORDS_NAME, splitRecordKey } from '#records-contract';
import { RecordCalls } from './record-calls.js';
import type { Checkpoints } from './checkpoints.js';
import type {
  Appended,
  AppendedMany,
  AppendManyOptions,
  AppendOptions,
  DefinedType,
  EventOptions,
  ListOptions,
  OpenOptions,
  Purged,
  RecordChange,
  RecordEvent,
  RecordLog,
  StoredRecord,
  TypeDefinition,
  Verification,
  VerifyOptions,
} from './public-types.js';

/** Milliseconds of a timer that only keeps the program running. */
const LONG_MS = 2 ** 30;
/** The names with which `ledger-api` opens a directory by default. */
const NAMES = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };

/** A {@link RecordLog} on the embedded ledger. */
export class LedgerRecordLog implements RecordLog {
  readonly #directory: string;
  readonly #options: OpenOptions;
  readonly #ledger: Ledger;
  readonly #calls: RecordCalls;
  #checkpoints: Promise<Checkpoints> | undefined;
  #closing: Promise<void> | undefined;

  private constructor(directory: string, options: OpenOptions, ledger: Ledger) {
    this.#directory = directory;
    this.#options = options;
    this.#ledger = ledger;
    this.#calls = new RecordCalls(ledger);
  }

  static async open(directory: string, options: OpenOptions): Promise<LedgerRecordLog> {
    const { logger } = options;
    const ledger = await createEmbeddedLedger({
      ...NAMES,
      dataDir: directory,
      hasTree: true,
      ...(logger !== undefined && { logger }),
    });
    const log = new LedgerRecordLog(directory, options, ledger);
    try {
      // Witnesses confirm what is appended from now on, also when no checkpoint is requested.
      if (options.witnesses !== undefined) await log.#openCheckpoints();
      return log;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  define(type: string, definition: TypeDefinition): Promise<DefinedType> {
    return this.#calls.define(type, definition);
  }

  append(type: string, document: unknown, options: AppendOptions = {}): Promise<Appended> {
    return this.#calls.append(type, document, options);
  }

  appendMany(type: string, documents: Iterable<unknown>, options: AppendManyOptions = {}): Promise<AppendedMany> {
    return this.#calls.appendMany(type, documents, options);
  }

  get(type: string, id: string): Promise<StoredRecord<unknown> | undefined> {
    return this.#calls.get(type, id);
  }

  list(type: string, options: ListOptions = {}): AsyncGenerator<StoredRecord<unknown>, void> {
    return this.#calls.list(type, options);
  }

  purge(type: string, id: string): Promise<Purged> {
    return this.#calls.purge(type, id);
  }

  history(type: string, id: string): AsyncGenerator<RecordChange<unknown>, void> {
    return this.#calls.history(type, id);
  }

  async receipt(transactionId: string): Promise<string | undefined> {
    const { receipt } = this.#ledger;
    if (receipt === undefined)
      throw new LedgerError('LEDGER.NOT_SUPPORTED', 'The directory contains no keys that sign.');
    return receipt(transactionId);
  }

  async checkpoint(): Promise<string> {
    const { height } = await this.#ledger.chainInfo();
    const checkpoints = await this.#openCheckpoints();
    return checkpoints.covering(height);
  }

  async verifierKey(): Promise<string> {
    return (await this.#openCheckpoints()).verifierKey();
  }

  verify(options: VerifyOptions = {}): Promise<Verification> {
    return verifyDirectory(this.#directory, options);
  }

  async *events({ from, signal }: EventOptions = {}): AsyncGenerator<RecordEvent, void> {
    const startBlock = from ?? (await this.#ledger.chainInfo()).height;
    const blocks = this.#ledger.blockEvents({ startBlock, ...(signal && { signal }) });
    const iterator = blocks[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await keepRunning(iterator.next());
        if (next.done === true) return;
        yield* eventsIn(next.value.number, next.value.bytes);
      }
    } finally {
      await iterator.return?.();
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    try {
      const checkpoints = await this.#checkpoints?.catch(() => undefined);
      await checkpoints?.close();
    } finally {
      await this.#ledger.close();
    }
  }

  #openCheckpoints(): Promise<Checkpoints> {
    if (this.#closing !== undefined)
      return Promise.reject(new LedgerError('LEDGER.UNAVAILABLE', 'The ledger is closed.'));
    if (this.#checkpoints === undefined) {
      const opening = import('./checkpoints.js').then(({ Checkpoints }) =>
        Checkpoints.open(this.#ledger, this.#directory, this.#options),
      );
      this.#checkpoints = opening;
      // The next request tries again.
      opening.catch(() => (this.#checkpoints = undefined));
    }
    return this.#checkpoints;
  }
}

/** Keeps the program running until a promise settles: one that only follows events waits for nothing else. */
async function keepRunning<T>(promise: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, LONG_MS);
  try {
    return await promise;
  } finally {
    clearInterval(timer);
  }
}

function* eventsIn(block: number, bytes: Uint8Array): Generator<RecordEvent> {
  for (const transaction of keyChanges(decodeBlock(bytes), RECORDS_NAME)) {
    if (transaction === undefined) continue;
    const { transactionId, timestamp, changes } = transaction;
    for (const { key, value } of changes) {
      const record = splitRecordKey(key);
      if (record === undefined) continue;
      yield { block, transactionId, timestamp, ...record, ...contentIn(value) };
    }
  }
}

/** Returns what an event shows of a stored record. */
function contentIn(value: Uint8Array | undefined): Pick<RecordEvent, 'document' | 'digest'> {
  if (value === undefined) return { document: undefined };
  const digest = readSealed(value)?.h;
  return digest === undefined ? { document: readRecord(value)?.d } : { document: null, digest };
}

/** Verifies a directory, as `ledger-tool verify` does. */
export async function verifyDirectory(path: string, options: VerifyOptions): Promise<Verification> {
  const { expectedHead } = await import('./checkpoints.js');
  const { height, transactions, findings } = await verifyLedger({ path, checkpoint: await expectedHead(options) });
  return { ok: findings.length === 0, blocks: height, transactions, findings };
}
