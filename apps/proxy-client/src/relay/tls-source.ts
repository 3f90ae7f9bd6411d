import type { TLSSocket } from 'node:tls';
import { freeBuffer } from '../http/free-buffer.js';
import { endAfterDefect, PlainSource, type SourceReader } from './byte-source.js';
import { setCarrier, type ConnectionSocket } from './connection-socket.js';

/**
 * A source over a TLS connection. It collects the records that were decrypted in one turn of the event loop, of at most 16 KiB
 * each, and delivers them together: a write for each record would cost more than the decryption.
 */
export class TlsSource extends PlainSource {
  readonly #tls: TLSSocket;
  #chunks: Buffer[] = [];
  #hasEnded = false;

  /** @param carrier - the connection that TLS runs over */
  constructor(socket: TLSSocket, carrier: ConnectionSocket) {
    super(socket);
    this.#tls = socket;
    setCarrier(socket, carrier);
    // After the handshake Node reports an alert or a broken record without closing the socket, which then seems to end in order.
    socket.on('error', (error: Error) => socket.destroy(error));
  }

  override resume(): void {
    super.resume();
    if (this.#chunks.length > 0 || this.#hasEnded) setImmediate(this.#deliver.bind(this));
  }

  protected override received(chunk: Buffer): void {
    if (this.#chunks.push(chunk) === 1) setImmediate(this.#deliver.bind(this));
  }

  protected override ended(): void {
    this.#hasEnded = true;
    this.#deliver();
  }

  protected override closed(): void {
    this.#deliverChunks();
    super.closed();
  }

  /** Delivers what was received, unless the reader has stopped meanwhile. */
  #deliver(): void {
    if (this.#tls.isPaused()) return;
    this.#deliverChunks();
    if (!this.#hasEnded || this.#tls.isPaused()) return;
    this.#hasEnded = false;
    super.ended();
  }

  #deliverChunks(): void {
    const chunks = this.#chunks;
    const [first] = chunks;
    if (first === undefined) return;
    this.#chunks = [];
    if (this.reader?.readTurn === undefined) super.received(chunks.length === 1 ? first : Buffer.concat(chunks));
    else this.#deliverTurn(this.reader, chunks);
  }

  #deliverTurn(reader: SourceReader, chunks: readonly Buffer[]): void {
    try {
      // Node allocates a buffer for each record.
      if (reader.readTurn?.(chunks) === true) chunks.forEach(freeBuffer);
      else this.#tls.pause();
    } catch (error) {
      endAfterDefect(this, error);
    }
  }
}
