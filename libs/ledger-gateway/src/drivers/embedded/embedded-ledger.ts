import { MisconfiguredError, UnavailableError } from '../../errors/ledger.errors.js';
import type { ConnectionState, Ledger, LedgerChannel } from '../../ports/ledger.port.js';
import type { EmbeddedChannel } from './embedded-channel.js';

/** What a ledger gives back when it is closed, in this order. */
export interface EmbeddedResources {
  readonly closeStore: () => void;
  readonly closeWriter: () => Promise<void>;
  readonly releaseLock: () => void;
}

/** The ledger in a data directory. */
export class EmbeddedLedger implements Ledger {
  readonly #channel: EmbeddedChannel;
  readonly #resources: EmbeddedResources;
  #closing: Promise<void> | undefined;

  constructor(channel: EmbeddedChannel, resources: EmbeddedResources) {
    this.#channel = channel;
    this.#resources = resources;
  }

  channel(name: string = this.#channel.name): LedgerChannel {
    if (name === this.#channel.name) return this.#channel;
    throw new MisconfiguredError(`This ledger has the channel "${this.#channel.name}", not "${name}".`);
  }

  connectionState(): Promise<ConnectionState> {
    if (this.#closing !== undefined) return Promise.resolve({ status: 'unavailable', reason: 'The ledger is closed.' });
    const reason = this.#channel.readOnlyReason;
    return Promise.resolve(reason === undefined ? { status: 'ready' } : { status: 'read-only', reason });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { closeWriter, closeStore, releaseLock } = this.#resources;
    this.#channel.refuseCalls(new UnavailableError('The ledger is closed.'));
    try {
      // The writer's connection closes last: it then takes the write-ahead log into the store's file.
      closeStore();
      await closeWriter();
    } finally {
      releaseLock();
    }
  }
}
