import type { Worker } from 'node:worker_threads';
import { LedgerError } from '../../../errors/ledger.errors.js';
import type { LedgerCall, SubmitResult } from '../../../ports/ledger.port.js';
import { serializeIdentity } from '../../../fabric-blocks/encode/transaction-encoder.js';
import { formerCreators, type FormerCertificate } from '../../../signers/former-certificates.js';
import { SignerRegistry } from '../../../signers/signer-registry.js';
import { reviveError } from '../../../threads/transferred-error.js';
import type { ChainHead } from '../store/prove-store.js';
import { SERVICE_SIGNER, WriteBatch, type FromWriter, type ToWriter, type WriterData } from '../writer/messages.js';
import type { SignerPem } from '../writer/signing.js';
import { startWriter } from '../writer/start-writer.js';
import { TicketSlots } from './ticket-slots.js';
import { preimageOf, TransactionIds, type TransactionId } from './transaction-ids.js';

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

/** How often it is looked whether the identity of a caller who writes was renewed. */
const LOOK_AGAIN_AFTER_MS = 1000;

/** An identity that signs, and the certificates that did before. */
export interface CallerIdentity {
  readonly signer: SignerPem;
  readonly former: readonly FormerCertificate[];
  /** See {@link Creators.mark}. */
  readonly mark: string;
}

/** Whose identities sign. */
export interface Creators {
  readonly service: CallerIdentity;
  /** Finds or makes a caller's. */
  readonly caller: (name: string) => Promise<CallerIdentity>;
  /** Differs when a caller's identity is another one. */
  readonly mark: (name: string) => string;
}

/** A signer that the writer knows too. */
export interface KnownSigner {
  readonly number: number;
  /** Its serialized identity. */
  readonly creator: Uint8Array;
  readonly preimage: Uint8Array;
  readonly identity: CallerIdentity;
  /** When it is to be looked at again. */
  lookAt: number;
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
  readonly #ids = new TransactionIds();
  readonly #mspId: string;
  readonly #creators: Creators;
  readonly #signers: SignerRegistry<KnownSigner>;
  #newestSigner = SERVICE_SIGNER;
  readonly #waiting = new TicketSlots<WaitingWrite>();
  readonly #batch = new WriteBatch();
  #readOnly: string | undefined;
  #isClosing = false;
  readonly #ended: Promise<void>;

  private constructor(worker: Worker, mspId: string, creators: Creators, listener: WriterListener) {
    this.#worker = worker;
    this.#mspId = mspId;
    this.#creators = creators;
    this.#listener = listener;
    const service = this.#known(SERVICE_SIGNER, creators.service);
    this.#signers = new SignerRegistry(service, (caller) => this.#addSigner(caller));
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

  /** Starts the thread, which opens the store for writing. */
  static async start(data: WriterData, creators: Creators, listener: WriterListener): Promise<WriterClient> {
    const worker = startWriter(data);
    await new Promise<void>((resolve, reject) => {
      worker.once('message', (message: FromWriter) => {
        if (message.type === 'ready') resolve();
        else if (message.type === 'failed') reject(reviveError(message.error));
      });
      worker.once('error', reject);
    });
    return new WriterClient(worker, data.mspId, creators, listener);
  }

  get length(): number {
    return this.#waiting.size;
  }

  get readOnlyReason(): string | undefined {
    return this.#readOnly;
  }

  /**
   * Hands a write over, signed by its caller.
   * @throws `LEDGER.UNKNOWN_CALLER` and what the port names, as a rejection
   */
  submit(call: LedgerCall, caller: string | undefined): Promise<SubmitResult> {
    const signer = this.signerOf(caller);
    // The service and known callers do not wait: it would cost each of their writes a turn.
    if (signer instanceof Promise) return signer.then((found) => this.submitAs(found, call));
    return this.submitAs(signer, call);
  }

  /** See the port. */
  async creators(caller: string | undefined, endedAfter: number): Promise<readonly Uint8Array[]> {
    return this.creatorsOf(await this.signerOf(caller), endedAfter);
  }

  /** The serialized identity of a signer, and those before it that ended after a moment. */
  creatorsOf({ creator, identity: { former } }: KnownSigner, endedAfter: number): readonly Uint8Array[] {
    return [creator, ...formerCreators(this.#mspId, former, endedAfter)];
  }

  /**
   * Who signs for a caller, at once when that is known.
   * @throws `LEDGER.UNKNOWN_CALLER` and what the port names, as a rejection
   */
  signerOf(caller: string | undefined): KnownSigner | Promise<KnownSigner> {
    const signer = this.#signers.signerOf(caller);
    if (caller === undefined || signer instanceof Promise || Date.now() < signer.lookAt) return signer;
    signer.lookAt = Date.now() + LOOK_AGAIN_AFTER_MS;
    if (this.#creators.mark(caller) === signer.identity.mark) return signer;
    this.#signers.forget(caller);
    return this.#signers.signerOf(caller);
  }

  /**
   * Hands a write over that this signer signs.
   * @param id - the transaction's, which must be recorded nowhere; without it one is made
   */
  submitAs(signer: KnownSigner, call: LedgerCall, id?: TransactionId): Promise<SubmitResult> {
    if (this.#readOnly !== undefined) return Promise.reject(readOnlyError(this.#readOnly));
    if (this.#isClosing) return Promise.reject(new LedgerError('LEDGER.READ_ONLY', 'The ledger is closed.'));
    if (this.#waiting.size >= MAX_WAITING_WRITES) {
      return Promise.reject(
        new LedgerError(
          'LEDGER.OVERLOADED',
          `${MAX_WAITING_WRITES} writes are waiting already: send fewer at once, and try again later.`,
        ),
      );
    }
    return this.#enqueue(signer, call, id ?? this.#ids.next(signer.preimage));
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

  /** The writer gets a caller's identity before its first write. */
  async #addSigner(caller: string): Promise<KnownSigner> {
    const identity = await this.#creators.caller(caller);
    this.#post({ type: 'signer', signer: identity.signer });
    this.#newestSigner += 1;
    return this.#known(this.#newestSigner, identity);
  }

  #known(number: number, identity: CallerIdentity): KnownSigner {
    const creator = serializeIdentity(this.#mspId, Buffer.from(identity.signer.certificate));
    return { number, creator, preimage: preimageOf(creator), identity, lookAt: Date.now() + LOOK_AGAIN_AFTER_MS };
  }

  #enqueue(
    { number: signer }: KnownSigner,
    call: LedgerCall,
    { nonce, transactionId }: TransactionId,
  ): Promise<SubmitResult> {
    const { promise, resolve, reject } = Promise.withResolvers<SubmitResult>();
    const ticket = this.#waiting.open({ transactionId, since: performance.now(), resolve, reject });
    // What arrives in one turn of the event loop goes over together, but not so late that the writer waits for it.
    if (this.#batch.length === 0)
      setImmediate(() => {
        this.#flush();
      });
    this.#batch.add({ ticket, function: call.function, arguments: call.arguments, signer, nonce, transactionId });
    if (this.#batch.length >= HANDED_OVER_AT_ONCE) this.#flush();
    return promise;
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    this.#post({ type: 'submit', requests: this.#batch.take() });
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromWriter): void {
    switch (message.type) {
      case 'committed':
        this.#committed(message);
        return;
      case 'refused':
        this.#refused(message);
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

  #refused({ refusals }: FromWriter & { type: 'refused' }): void {
    for (const { ticket, error } of refusals) {
      const revived = reviveError(error);
      if (error.code === undefined) this.#listener.unexpected(revived);
      this.#waiting.close(ticket)?.reject(revived);
    }
  }

  #committed({ head, blockNumber, tickets, payloads, ends }: FromWriter & { type: 'committed' }): void {
    const oldest = this.#waiting.get(tickets[0] ?? -1)?.since ?? performance.now();
    const seconds = (performance.now() - oldest) / 1000;
    this.#listener.committed(head, { blockNumber, transactions: tickets.length, seconds });
    let start = 0;
    for (let index = 0; index < tickets.length; index += 1) {
      const write = this.#waiting.close(tickets[index] ?? -1);
      const end = ends[index] ?? start;
      write?.resolve({
        transactionId: write.transactionId,
        blockNumber,
        result: payloads.subarray(start, end),
      });
      start = end;
    }
  }

  /** The thread is gone: what it had not answered may or may not be in the store. */
  #lose(reason: string): void {
    if (!this.#isClosing) {
      this.#readOnly ??= `${reason} Restart the ledger.`;
      this.#listener.readOnly(this.#readOnly);
    }
    for (const { transactionId, reject } of this.#waiting.closeAll()) reject(outcomeUnknown(transactionId, reason));
  }
}

function readOnlyError(reason: string): LedgerError {
  return new LedgerError('LEDGER.READ_ONLY', `The ledger takes no more writes until it is restarted. ${reason}`);
}

function outcomeUnknown(transactionId: string, why: string): LedgerError {
  return new LedgerError(
    'LEDGER.OUTCOME_UNKNOWN',
    `${why} Transaction ${transactionId} may or may not be recorded: look it up before you send it again.`,
    { transactionId },
  );
}
