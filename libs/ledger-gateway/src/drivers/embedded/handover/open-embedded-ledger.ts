import { resolve } from 'node:path';
import { makeDirectory } from '../../../files/durable-files.js';
import type { FileLock } from '../../../files/file-lock.js';
import type { LedgerLogger } from '../../../ports/ledger-logger.js';
import type { CommitObservation, Ledger } from '../../../ports/ledger.port.js';
import { checkNames, DataDirectory, type LedgerNames } from '../store/directory/data-directory.js';
import { type Identities, IdentityStore, requireMembers } from '../store/identities/identity-store.js';
import { type ChainHead, openProven } from '../store/prove-store.js';
import { readPin } from '../store/head-pin.js';
import { requireBlock, type StoreReader } from '../store/store-reader.js';
import { ReadingThread } from '../reading/reading-thread.js';
import { Signer } from '../writer/signing.js';
import { EmbeddedChannel, EmbeddedLedger } from './embedded-ledger.js';
import { type Creators, WriterClient } from './writer-client.js';

/** What `createEmbeddedLedger` needs. */
export interface EmbeddedLedgerOptions extends LedgerNames {
  /** Made with its identities and an empty chain when nothing is there. */
  readonly dataDir: string;
  /** Called after each commit, before its writers hear of it. */
  readonly onCommit?: (observation: CommitObservation) => void;
  readonly logger?: LedgerLogger;
}

/** What a ledger without keys says to writers. */
const NO_KEYS =
  'There are no keys in its data directory, as after an import: put the "identities" directory of a backup there and restart.';

/** See {@link createEmbeddedLedger}. */
export async function openEmbeddedLedger(options: EmbeddedLedgerOptions): Promise<Ledger> {
  checkNames(options);
  const directory = new DataDirectory(resolve(options.dataDir));
  directory.prepare();
  const lock = directory.hold();
  try {
    return await openLocked(directory, options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openLocked(directory: DataDirectory, options: EmbeddedLedgerOptions, lock: FileLock): Promise<Ledger> {
  const { channel: name, logger } = options;
  if (!directory.exists()) await makeLedger(directory, options);
  directory.requireNames(options);
  directory.finishRebuild(name);
  // Nothing is changed before this: neither the store and its log nor the identities, of which some may be due.
  const { db, reader, head } = openProven(directory.store(name), readPin(directory.pin(name)));
  try {
    const identities = await openIdentities(directory, options, reader);
    const reading = new ReadingThread({
      storePath: directory.store(name),
      chaincode: options.chaincode,
    });
    const channel = new EmbeddedChannel(options, { db, head, reading });
    const events = new LedgerEvents(options, channel);
    const writer = identities && (await startWriter(directory, options, { identities, events }));
    if (identities !== undefined && writer !== undefined) {
      channel.writeThrough(writer, new Signer(options.mspId, identities.peer));
    } else {
      channel.becomeReadOnly(NO_KEYS);
      logger?.warn({ dataDir: directory.path }, `the ledger can be read only. ${NO_KEYS}`);
    }
    logger?.info({ dataDir: directory.path, channel: name, height: head.height }, 'ledger opened');
    return new EmbeddedLedger(channel, {
      closeReading: () => reading.close(),
      closeWriter: async () => writer?.close(),
      closeStore: () => {
        db.close();
      },
      releaseLock: () => {
        lock.release();
      },
    });
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Makes identities and a store with block 0; goes on where a first start was cut short. */
async function makeLedger(directory: DataDirectory, options: EmbeddedLedgerOptions): Promise<void> {
  directory.beginClaim(options);
  const { channel, chaincode, mspId } = options;
  const store = new IdentityStore(directory.identities, mspId);
  await store.create();
  const identities = await store.load();
  makeDirectory(directory.channel(channel));
  const { blockDictionary, firstBlock } = await import('../writer/first-block.js');
  const { createStore } = await import('../store/store-writer.js');
  createStore(directory.store(channel), {
    firstBlock: firstBlock(options, identities),
    chaincode,
    dictionary: blockDictionary(mspId, identities),
  });
  directory.claim(options);
}

/** The identities that sign; undefined for a ledger that was imported without keys. */
async function openIdentities(
  directory: DataDirectory,
  { mspId, logger }: EmbeddedLedgerOptions,
  reader: StoreReader,
): Promise<Identities | undefined> {
  const store = new IdentityStore(directory.identities, mspId);
  if (!store.exists()) return undefined;
  const identities = await store.load();
  requireMembers(requireBlock(reader, 0).bytes, mspId, identities);
  for (const warning of store.warnings()) logger?.warn({ identities: directory.identities }, warning);
  return identities;
}

async function startWriter(
  directory: DataDirectory,
  { channel, chaincode, mspId }: EmbeddedLedgerOptions,
  { identities, events }: Readonly<{ identities: Identities; events: LedgerEvents }>,
): Promise<WriterClient> {
  const storePath = directory.store(channel);
  const pinPath = directory.pin(channel);
  const store = new IdentityStore(directory.identities, mspId);
  const creators: Creators = {
    service: { signer: identities.client, former: store.former(undefined), mark: '' },
    caller: async (name) => {
      // Taken before the file is read: what is replaced meanwhile is then read once more, and not missed.
      const mark = store.mark(name);
      const signer = await store.caller(name);
      return { signer, former: store.former(name), mark: mark === '' ? store.mark(name) : mark };
    },
    mark: (name) => store.mark(name),
  };
  return WriterClient.start({ channel, chaincode, mspId, identities, storePath, pinPath }, creators, events);
}

/** Passes on what the writer thread tells. */
class LedgerEvents {
  readonly #options: EmbeddedLedgerOptions;
  readonly #channel: EmbeddedChannel;

  constructor(options: EmbeddedLedgerOptions, channel: EmbeddedChannel) {
    this.#options = options;
    this.#channel = channel;
  }

  get #logger(): LedgerLogger | undefined {
    return this.#options.logger;
  }

  committed(
    head: ChainHead,
    observation: Readonly<{ blockNumber: number; transactions: number; seconds: number }>,
  ): void {
    this.#channel.advance(head);
    this.#options.onCommit?.(observation);
  }

  readOnly(reason: string): void {
    this.#channel.becomeReadOnly(reason);
    this.#logger?.error({ reason }, 'the ledger takes no more writes until it is restarted');
  }

  unexpected(error: Error): void {
    this.#logger?.error({ err: error }, 'unexpected failure in the writer thread');
  }
}
