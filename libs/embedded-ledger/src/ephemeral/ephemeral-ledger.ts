import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chaincode, ChaincodeHost } from '#chaincode-host';
import { type Ledger, type LedgerChannel, LedgerError } from '#ledger-gateway';
import { openEmbeddedLedger, type EmbeddedLedgerOptions } from '../handover/open-embedded-ledger.js';
import { WriterThreads } from '../writer/writer-threads.js';

/**
 * Ledgers for tests, all of them empty when they are opened. Each is a channel of this one by its own name; calls without a
 * channel reach the first.
 */
export interface EphemeralLedger extends Ledger {
  /** Opens another ledger with an empty chain. @returns its name among the channels */
  openAnother(): Promise<string>;
  /** Closes a ledger and removes its files. @throws `LEDGER.CHANNEL_UNKNOWN` */
  closeChannel(name: string): Promise<void>;
}

/**
 * Opens ledgers for tests. They share the identities of a template, which is copied, the processes of the chaincodes, and
 * the threads of ledgers that were closed, so that another one is open in a few milliseconds.
 * @param options - `dataDir` becomes a folder of data directories
 */
export async function openEphemeralLedger(options: EmbeddedLedgerOptions): Promise<EphemeralLedger> {
  const template = join(options.dataDir, 'template');
  const ledgers = new EphemeralLedgers(options, template);
  const first = await ledgers.openFirst();
  // Everything but these members is the first ledger's.
  const members: Pick<EphemeralLedger, 'channels' | 'openAnother' | 'closeChannel' | 'close'> = {
    channels: ledgers.channels,
    openAnother: async () => ledgers.openAnother(),
    closeChannel: async (name) => ledgers.closeChannel(name),
    close: async () => ledgers.close(),
  };
  const ledger = new Proxy(first as unknown as EphemeralLedger, {
    get: (target, name) => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name) as unknown;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  ledgers.channels.set(first.channel, ledger);
  return ledger;
}

/** The open ledgers. */
class EphemeralLedgers {
  readonly channels = new Map<string, LedgerChannel>();
  readonly #options: EmbeddedLedgerOptions;
  readonly #template: string;
  readonly #threads = new WriterThreads();
  readonly #host: SharedChaincodes | undefined;
  /** With the folder of each. */
  readonly #folders = new Map<Ledger, string>();
  #opened = 1;

  constructor(options: EmbeddedLedgerOptions, template: string) {
    this.#options = options;
    this.#template = template;
    this.#host = options.chaincodes && new SharedChaincodes(options.chaincodes);
  }

  /** Makes the template, whose thread the first ledger uses. */
  async openFirst(): Promise<Ledger> {
    const template = { dataDir: this.#template, chaincodes: undefined, writerThreads: this.#threads };
    const made = await openEmbeddedLedger({ ...this.#options, ...template });
    await made.close();
    const first = await this.#open(1);
    this.#threads.prepare();
    return first;
  }

  async #open(number: number): Promise<Ledger> {
    const dataDir = join(this.#options.dataDir, String(number));
    await cp(this.#template, dataDir, { recursive: true });
    const ledger = await openEmbeddedLedger({
      ...this.#options,
      dataDir,
      writerThreads: this.#threads,
      chaincodes: this.#host,
      // Certificates are issued in each ledger again, so none are recorded.
      certificatesDir: undefined,
    });
    this.#folders.set(ledger, dataDir);
    return ledger;
  }

  async openAnother(): Promise<string> {
    this.#opened += 1;
    const name = `${this.#options.channel}-${this.#opened}`;
    const ledger = await this.#open(this.#opened);
    this.channels.set(name, ledger);
    return name;
  }

  async closeChannel(name: string): Promise<void> {
    const ledger = this.channels.get(name);
    if (ledger === undefined || !this.#folders.has(ledger as Ledger)) {
      throw new LedgerError(
        'LEDGER.CHANNEL_UNKNOWN',
        `There is no ledger ${JSON.stringify(name.slice(0, 64))} to close.`,
      );
    }
    this.channels.delete(name);
    await this.#close(ledger as Ledger);
  }

  async close(): Promise<void> {
    // First: a call that its chaincode never answers has nothing to lose here.
    await this.#host?.end();
    await Promise.all([...this.#folders.keys()].map(async (ledger) => this.#close(ledger)));
    await this.#threads.close();
  }

  async #close(ledger: Ledger): Promise<void> {
    const dataDir = this.#folders.get(ledger) ?? '';
    this.#folders.delete(ledger);
    await ledger.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The chaincodes of several ledgers: they are started once, and ended after the last ledger. */
class SharedChaincodes implements ChaincodeHost {
  readonly #host: ChaincodeHost;
  #started: Promise<void> | undefined;

  constructor(host: ChaincodeHost) {
    this.#host = host;
  }

  get names(): ChaincodeHost['names'] {
    return this.#host.names;
  }

  get limits(): ChaincodeHost['limits'] {
    return this.#host.limits;
  }

  get collections(): ChaincodeHost['collections'] {
    return this.#host.collections;
  }

  get checksDeterminism(): boolean {
    return this.#host.checksDeterminism;
  }

  get timeout(): number {
    return this.#host.timeout;
  }

  get(name: string): Chaincode | undefined {
    return this.#host.get(name);
  }

  start(own: Chaincode): Promise<void> {
    // The ledger's own contract has no state of its own: that of the first ledger serves all.
    return (this.#started ??= this.#host.start(own));
  }

  close(): Promise<void> {
    // At the end of one ledger, while others use them.
    return Promise.resolve();
  }

  async end(): Promise<void> {
    await this.#host.close();
  }
}
