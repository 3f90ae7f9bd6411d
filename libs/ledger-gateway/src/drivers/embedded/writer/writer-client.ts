import type { Worker } from 'node:worker_threads';
import { OutcomeUnknownError, OverloadedError, ReadOnlyError } from '../../../errors/ledger.errors.js';
import type { CallOptions, LedgerCall, SubmitResult } from '../../../ports/ledger.port.js';
import { CallDeadlines } from './call-deadlines.js';
import type { ChainHead, FromWriter, ToWriter, WriterData } from './messages.js';
import { startThread } from './start-thread.js';
import { TicketSlots } from './ticket-slots.js';
import { reviveError } from './transferred-error.js';
import { TransactionIds } from './transaction-ids.js';
import { WriteBatch } from './write-request-columns.js';

/** Most writes that wait for their commit; at a few thousand commits a second that is a second or two of waiting. */
export const MAX_WAITING_WRITES = 5000;

/** Most writes in one message to the writer. */
const HANDED_OVER_AT_ONCE = 16;

/** What the writer tells besides the answers to writes. */
export interface WriterListener {
  committed(
    head: ChainHead,
    observation: Readonly<{ blockNumber: number; transactions: number; seconds: number }>,
  ): void;
  readOnly(reason: string): void;
  /** Something that nobody expected; for the log. */
  unexpected(error: Error): void;
}

interface WaitingWrite {
  readonly transactionId: string;
  /** performance.now() at its start. */
  readonly since: number;
  readonly resolve: (result: SubmitResult) => void;
  readonly reject: (error: Error) => void;
}

/** The calling thread's side of the writer thread: hands writes over in batches and gives each its answer. */
export class WriterClient {
  readonly #worker: Worker;
  readonly #listener: WriterListener;
  readonly #ids: TransactionIds;
  /** Also those that were given up, until the writer answers: their ticket must not mean another write then. */
  readonly #waiting = new TicketSlots<WaitingWrite>();
  readonly #deadlines: CallDeadlines;
  readonly #batch = new WriteBatch();
  #readOnly: string | undefined;
  #isClosing = false;
  readonly #ended: Promise<void>;

  private constructor(worker: Worker, creator: Uint8Array, listener: WriterListener) {
    this.#worker = worker;
    this.#listener = listener;
    this.#ids = new TransactionIds(creator);
    this.#deadlines = new CallDeadlines({
      withdraw: (tickets) => {
        this.#withdraw(tickets);
      },
      giveUp: (ticket) => {
        this.#giveUp(ticket);
      },
    });
    this.#ended = new Promise((resolve) => {
      worker.once('exit', () => {
        this.#lose('The writer thread has ended.');
        resolve();
      });
    });
    worker.on('message', (message: FromWriter) => {
      this.#receive(message);
    });
    worker.on('error', (error: Error) => {
      listener.unexpected(error);
    });
  }

  /**
   * Starts the thread, which opens the store for writing.
   * @param creator - the client's serialized identity, which transaction ids are made of
   */
  static async start(data: WriterData, creator: Uint8Array, listener: WriterListener): Promise<WriterClient> {
    const worker = startThread('writer', data);
    await new Promise<void>((resolve, reject) => {
      worker.once('message', (message: FromWriter) => {
        if (message.type === 'ready') resolve();
        else if (message.type === 'failed') reject(reviveError(message.error));
      });
      worker.once('error', reject);
    });
    return new WriterClient(worker, creator, listener);
  }

  get length(): number {
    return this.#waiting.size;
  }

  get readOnlyReason(): string | undefined {
    return this.#readOnly;
  }

  submit(call: LedgerCall, options: CallOptions): Promise<SubmitResult> {
    if (this.#readOnly !== undefined) return Promise.reject(readOnlyError(this.#readOnly));
    if (this.#isClosing) return Promise.reject(new ReadOnlyError('The ledger is closed.'));
    if (this.#waiting.size >= MAX_WAITING_WRITES) {
      return Promise.reject(
        new OverloadedError(
          `${MAX_WAITING_WRITES} writes are waiting already: send fewer at once, and try again later.`,
        ),
      );
    }
    return this.#enqueue(call, options);
  }

  /** Lets what is under way finish, then ends the thread. */
  async close(): Promise<void> {
    if (!this.#isClosing) {
      this.#isClosing = true;
      this.#flush();
      this.#post({ type: 'close' });
    }
    await this.#ended;
  }

  #enqueue(call: LedgerCall, options: CallOptions): Promise<SubmitResult> {
    const { nonce, transactionId } = this.#ids.next();
    const { promise, resolve, reject } = Promise.withResolvers<SubmitResult>();
    const ticket = this.#waiting.open({ transactionId, since: performance.now(), resolve, reject });
    // What arrives in one turn of the event loop goes over together, but not so late that the writer waits for it.
    if (this.#batch.length === 0)
      setImmediate(() => {
        this.#flush();
      });
    this.#batch.add({ ticket, function: call.function, arguments: call.arguments, nonce, transactionId });
    if (this.#batch.length >= HANDED_OVER_AT_ONCE) this.#flush();
    if (options.signal !== undefined || options.deadline !== undefined) this.#deadlines.watch(ticket, options);
    return promise;
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    this.#post({ type: 'submit', requests: this.#batch.take() });
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #withdraw(tickets: readonly number[]): void {
    // What still waits here goes over first, so that the writer knows every ticket it is asked about.
    this.#flush();
    this.#post({ type: 'withdraw', tickets });
  }

  #giveUp(ticket: number): void {
    this.#deadlines.forget(ticket);
    const write = this.#waiting.get(ticket);
    write?.reject(outcomeUnknown(write.transactionId, 'The disk has not answered in time.'));
  }

  #receive(message: FromWriter): void {
    switch (message.type) {
      case 'committed':
        this.#committed(message);
        return;
      case 'refused':
        for (const { ticket, error } of message.refusals) {
          const revived = reviveError(error);
          if (error.code === undefined) this.#listener.unexpected(revived);
          this.#take(ticket)?.reject(revived);
        }
        return;
      case 'read-only':
        this.#readOnly = message.reason;
        this.#listener.readOnly(message.reason);
        this.#listener.unexpected(reviveError(message.error));
        return;
      case 'trouble':
        this.#listener.unexpected(reviveError(message.error));
        return;
      case 'ready':
      case 'failed':
        return;
      default:
        message satisfies never;
    }
  }

  #committed({ head, blockNumber, tickets, payloads, ends }: FromWriter & { type: 'committed' }): void {
    const oldest = this.#waiting.get(tickets[0] ?? -1)?.since ?? performance.now();
    const seconds = (performance.now() - oldest) / 1000;
    this.#listener.committed(head, { blockNumber, transactions: tickets.length, seconds });
    let start = 0;
    for (let index = 0; index < tickets.length; index += 1) {
      const write = this.#take(tickets[index] ?? -1);
      const end = ends[index] ?? start;
      write?.resolve({
        transactionId: write.transactionId,
        blockNumber,
        result: payloads.subarray(start, end),
      });
      start = end;
    }
  }

  #take(ticket: number): WaitingWrite | undefined {
    this.#deadlines.forget(ticket);
    return this.#waiting.close(ticket);
  }

  /** The thread is gone: what it had not answered may or may not be in the store. */
  #lose(reason: string): void {
    if (!this.#isClosing) {
      this.#readOnly ??= `${reason} Restart the ledger.`;
      this.#listener.readOnly(this.#readOnly);
    }
    this.#deadlines.forgetAll();
    for (const { transactionId, reject } of this.#waiting.closeAll()) reject(outcomeUnknown(transactionId, reason));
  }
}

function readOnlyError(reason: string): ReadOnlyError {
  return new ReadOnlyError(`The ledger takes no more writes until it is restarted. ${reason}`);
}

function outcomeUnknown(transactionId: string, why: string): OutcomeUnknownError {
  return new OutcomeUnknownError(
    `${why} Transaction ${transactionId} may or may not be recorded: look it up before you send it again.`,
    { transactionId },
  );
}
