import { LedgerError } from '#ledger-gateway';
import { Writer, type WriterData, type WriterEvent } from './writer.js';

/** The service of a writer thread: a {@link Writer} at a time, the next one after the previous one was closed. */
export class WriterService implements Pick<Writer, 'addSigner' | 'submit' | 'close'> {
  readonly #emit: (event: WriterEvent) => void;
  #writer: Writer | undefined;

  constructor(emit: (event: WriterEvent) => void) {
    this.#emit = emit;
  }

  /** Opens a store. @throws what {@link Writer.open} throws */
  open(data: WriterData): void {
    this.#writer = Writer.open(data, this.#emit);
  }

  addSigner(...parameters: Parameters<Writer['addSigner']>): void {
    this.#open().addSigner(...parameters);
  }

  submit(...parameters: Parameters<Writer['submit']>): void {
    this.#open().submit(...parameters);
  }

  async close(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close();
  }

  #open(): Writer {
    if (this.#writer !== undefined) return this.#writer;
    throw new LedgerError('LEDGER.UNAVAILABLE', 'The writer thread has no ledger.');
  }
}
