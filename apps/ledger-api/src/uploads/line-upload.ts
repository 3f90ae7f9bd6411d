import { hash } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { v4 as uuid } from 'uuid';
import { LINE_LIMITS, type BodyLine, type BodyLines } from '#bulk-data';
import { type CallOptions, idOfKey, isLedgerError } from '#ledger-gateway';
import type { CallSlots } from '#threads';
import { ApiError, invalidRequest } from '../http/errors.js';
import { answerOf, ERROR_CODE } from '../http/error-answers.js';
import type { RequestTrace } from '../http/trace-context.js';
import type { LineAnswer } from './upload.dto.js';

const TOO_LONG = `The line is too long: the limit is ${LINE_LIMITS.line / 1024} KiB.`;
/** Batches of one upload that are processed at the same time: one is simulated while the others are signed and stored. */
const MAX_RUNNING = 3;
/** Lines that are parsed in one turn of the event loop. */
const LINES_PER_TURN = 100;
/** Lines that are created at the same time where each is a transaction. */
const SINGLE_CREATES = 50;
/** Attempts of a batch that fails for a reason that may pass, and the first delay between them, which doubles. */
const ATTEMPTS = 6;
const FIRST_DELAY_MS = 200;

/** A line that was read: what it creates. */
export interface ReadLine {
  readonly line: number;
  /** The id of what it creates, unless the transaction makes one. */
  readonly id?: string | undefined;
}

/** The effect of a create: its transaction, or the error. */
export type Effect = Creation | Error;

/** What an upload creates. */
export interface UploadTarget<T extends ReadLine> {
  /**
   * Reads a line.
   * @param newId - generates an id, which is the same for the same line of an upload with an Idempotency-Key
   * @throws the refusal of the line
   */
  read(line: number, bytes: Buffer, newId: () => string): T;
  /**
   * Creates everything in one transaction, and returns the effects in the same order.
   * @throws `LEDGER.FUNCTION_UNKNOWN` where each needs its own transaction
   */
  createTogether(read: readonly T[], options: CallOptions): Promise<readonly Effect[]>;
  /** Creates one in its own transaction. */
  createOne(read: T, options: CallOptions): Promise<Creation>;
}

/** The parts of the application that a {@link LineUpload} uses. */
export interface UploadParts<T extends ReadLine> {
  readonly channel: string;
  readonly target: UploadTarget<T>;
  /** Of all uploads together. */
  readonly slots: CallSlots;
}

/** Who uploads, and under which key. */
export interface UploadOptions extends CallOptions {
  /** @throws when the caller may no longer write */
  readonly check: () => void;
  /** Begins the spans of a transaction of the upload. */
  readonly traceOfWrite?: RequestTrace['ofWrite'] | undefined;
}

/** The transaction that created something. */
export interface Creation {
  readonly transactionId: string;
  readonly isReplay?: boolean;
  /** The id that the transaction made. */
  readonly id?: string;
}

/** A line that was read. */
interface Accepted<T> {
  readonly accepted: T;
}

/** A batch that is being processed. */
interface RunningBatch {
  readonly finished: Promise<void>;
  answers: LineAnswer[] | undefined;
}

/**
 * Creates what the lines of an upload name, up to 500 by a transaction. With a key the batches depend on the body alone, so that a
 * repeated upload makes the same transactions; without a key a batch also ends when no line waits and nothing is running.
 */
export class LineUpload<T extends ReadLine> {
  readonly #parts: UploadParts<T>;
  readonly #options: UploadOptions;
  /** Whether each line needs its own transaction. */
  #isSingle = false;
  #reading: Promise<(LineAnswer | Accepted<T>)[]> = Promise.resolve([]);
  /** The batches that are being created, by the ids of what they create. */
  readonly #creating = new Map<ReadonlySet<string>, Promise<unknown>>();
  /** Why the ledger failed, which ends the upload. */
  #failure: Error | undefined;

  constructor(parts: UploadParts<T>, options: UploadOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /**
   * Yields the answers to all lines in their order, in batches.
   * @throws the failure of the ledger or of the body, which ends the upload; after the answers to all lines before it
   */
  async *answers(lines: BodyLines): AsyncGenerator<readonly LineAnswer[], void, undefined> {
    const running: RunningBatch[] = [];
    try {
      for (;;) {
        this.#startBatches(lines, running);
        const [first] = running;
        if (first === undefined) {
          const failure = this.#failure ?? lines.failure;
          if (failure !== undefined) throw failure;
          if (lines.isFinished) return;
          await lines.changedInTime();
        } else if (first.answers === undefined) {
          const mayStart = running.length < MAX_RUNNING && !lines.isFinished && this.#failure === undefined;
          await (mayStart ? Promise.race([first.finished, lines.changed()]) : first.finished);
        } else {
          running.shift();
          yield first.answers;
        }
      }
    } finally {
      lines.close();
    }
  }

  #startBatches(lines: BodyLines, running: RunningBatch[]): void {
    const hasKey = this.#options.idempotencyKey !== undefined;
    while (this.#failure === undefined && running.length < MAX_RUNNING) {
      const batch = lines.take(!hasKey && running.length === 0);
      if (batch === undefined) return;
      running.push(this.#start(batch));
    }
  }

  #start(lines: readonly BodyLine[]): RunningBatch {
    const answered = this.#parts.slots.run(() => this.#answer(lines));
    const batch: RunningBatch = {
      answers: undefined,
      finished: answered.then((answers) => void (batch.answers = answers)),
    };
    return batch;
  }

  /** Creates a batch and returns the answers to its lines; never fails. */
  async #answer(lines: readonly BodyLine[]): Promise<LineAnswer[]> {
    // One batch after the other, so that the next step begins in their order too.
    this.#reading = this.#reading.then(() => this.#readAll(lines));
    const answers = await this.#reading;
    const read = answers.flatMap((each) => ('accepted' in each ? each.accepted : []));
    const effects = read.length === 0 ? [] : await this.#createInOrder(read, lines[0]?.number ?? 0);
    const effectOf = new Map(read.map((each, index) => [each, effects[index]]));
    return answers.map((each) => {
      if (!('accepted' in each)) return each;
      const { line, id } = each.accepted;
      return answerTo(line, effectOf.get(each.accepted), id);
    });
  }

  async #readAll(lines: readonly BodyLine[]): Promise<(LineAnswer | Accepted<T>)[]> {
    const answers: (LineAnswer | Accepted<T>)[] = [];
    for (const [index, line] of lines.entries()) {
      if (index % LINES_PER_TURN === 0) await nextTurn();
      const { number } = line;
      answers.push(readLine(line, (bytes) => this.#parts.target.read(number, bytes, () => this.#newId(number))));
    }
    return answers;
  }

  /** Waits for earlier batches with an id of this one, so that the first of two lines with one id creates it. */
  async #createInOrder(read: readonly T[], firstLine: number): Promise<readonly Effect[]> {
    const ids = new Set(read.flatMap(({ id }) => id ?? []));
    const hasShared = ([others]: readonly [ReadonlySet<string>, unknown]): boolean =>
      [...ids].some((id) => others.has(id));
    const earlier = [...this.#creating].filter(hasShared).map(([, created]) => created);
    const created = Promise.all(earlier).then(() => this.#create(read, firstLine));
    this.#creating.set(ids, created);
    const effects = await created;
    this.#creating.delete(ids);
    return effects;
  }

  /** Returns the effects of creating, in their order; never fails. */
  async #create(read: readonly T[], firstLine: number): Promise<readonly Effect[]> {
    if (this.#isSingle) return this.#createSingly(read);
    try {
      this.#options.check();
      return await this.#write('batch', firstLine, (options) => this.#parts.target.createTogether(read, options));
    } catch (error) {
      if (!isLedgerError(error, 'LEDGER.FUNCTION_UNKNOWN')) {
        this.#failure ??= error as Error;
        return read.map(() => error as Error);
      }
      // Another chaincode, or an older version of ours.
      this.#isSingle = true;
      return this.#createSingly(read);
    }
  }

  async #createSingly(read: readonly T[]): Promise<readonly Effect[]> {
    const effects: Effect[] = [];
    for (let start = 0; start < read.length; start += SINGLE_CREATES) {
      const lastOf = new Map<string, Promise<Effect>>();
      const creating = read.slice(start, start + SINGLE_CREATES).map((each) => {
        // Lines with the same id are processed in their order.
        const effect = this.#createAfter(each.id === undefined ? undefined : lastOf.get(each.id), each);
        if (each.id !== undefined) lastOf.set(each.id, effect);
        return effect;
      });
      effects.push(...(await Promise.all(creating)));
    }
    return effects;
  }

  async #createAfter(previous: Promise<Effect> | undefined, read: T): Promise<Effect> {
    await previous;
    if (this.#failure !== undefined) return this.#failure;
    try {
      this.#options.check();
      return await this.#write('asset', read.line, (options) => this.#parts.target.createOne(read, options));
    } catch (error) {
      if (!isRefusedLine(error)) this.#failure ??= error as Error;
      return error as Error;
    }
  }

  /**
   * Makes a transaction, again if it failed for a reason that may pass.
   * @param kind - of the transaction: one chaincode may create in batches and the next one singly
   */
  async #write<T>(kind: 'batch' | 'asset', line: number, write: (options: CallOptions) => Promise<T>): Promise<T> {
    const { caller, idempotencyKey: key, traceOfWrite } = this.#options;
    const idempotencyKey = key === undefined ? undefined : keyOfLine(key, kind, line);
    const stages = traceOfWrite?.();
    try {
      const written = await persistently(() => write({ caller, idempotencyKey, onStage: stages?.onStage }));
      stages?.endStages();
      return written;
    } catch (error) {
      stages?.endStages(error);
      throw error;
    }
  }

  /** Generates an id; from the key if there is one, so that a repeat creates the same. */
  #newId(line: number): string {
    const { caller: owner, idempotencyKey: key } = this.#options;
    return key === undefined ? uuid() : idOfKey(this.#parts.channel, { key: keyOfLine(key, 'id', line), owner });
  }
}

/** Derives the key of a part of an upload, which differs from those of all other parts and uploads. */
function keyOfLine(key: string, kind: 'batch' | 'asset' | 'id', line: number): string {
  return hash('sha256', JSON.stringify(['ledger-api/upload/1', key, kind, line]), 'base64url');
}

/** Reads a line, or returns the answer to one that is refused. */
export function readLine<T>({ number: line, bytes }: BodyLine, read: (bytes: Buffer) => T): LineAnswer | Accepted<T> {
  try {
    if (bytes === undefined) throw new ApiError('API.BODY_TOO_LARGE', TOO_LONG);
    if (isEmpty(bytes)) throw invalidRequest('The line is empty.');
    return { accepted: read(bytes) };
  } catch (error) {
    return answerTo(line, error as Error);
  }
}

const CARRIAGE_RETURN = 0x0d;

function isEmpty(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes.length === 1 && bytes[0] === CARRIAGE_RETURN);
}

/** Whether an error concerns one line, and not the ledger. */
function isRefusedLine(error: unknown): boolean {
  return answerOf(error).status === 400;
}

function answerTo(line: number, effect: Effect | undefined, id?: string): LineAnswer {
  const failed = effect === undefined || effect instanceof Error;
  const known = failed ? id : (effect.id ?? id);
  const named = { line, ...(known !== undefined && { id: known }) };
  if (failed) return { ...named, ...errorAnswer(effect) };
  const { transactionId, isReplay } = effect;
  return { ...named, status: 201, transactionId, ...(isReplay === true && { replayed: true }) };
}

/** Returns the part of an answer that describes an error. */
export function errorAnswer(
  error: unknown,
): Pick<LineAnswer, 'status'> & Required<Pick<LineAnswer, 'code' | 'message'>> {
  const { status, headers, body } = answerOf(error);
  return { status, code: headers[ERROR_CODE] ?? '', message: body.message };
}

/** Repeats a write that failed without an effect, for a reason that may pass. */
async function persistently<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!(isLedgerError(error) && error.retryable) || attempt === ATTEMPTS - 1) throw error;
      await delay(FIRST_DELAY_MS * 2 ** attempt);
    }
  }
}
