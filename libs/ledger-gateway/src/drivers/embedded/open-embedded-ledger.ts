import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { DamagedError } from '../../errors/ledger.errors.js';
import type { LedgerLogger } from '../../ports/ledger-logger.js';
import type { Ledger } from '../../ports/ledger.port.js';
import type { EmbeddedLedgerOptions } from './embedded-ledger-options.js';
import { checkNames, DataDirectory } from './directory/data-directory.js';
import { DirectoryLock } from './directory/directory-lock.js';
import { EmbeddedChannel } from './embedded-channel.js';
import { EmbeddedLedger } from './embedded-ledger.js';
import { IdentityStore, type Identities } from './identities/identity-store.js';
import { serializeIdentity } from '../../fabric-blocks/encode/identity.js';
import { openForReading } from './store/open-store.js';
import { headOf } from './store/check-head.js';
import { readPin } from './store/head-pin.js';
import { StoreReader } from './store/store-reader.js';
import type { ChainHead } from './writer/messages.js';
import { WriterClient } from './writer/writer-client.js';

/** What a ledger without keys says to writers. */
const NO_KEYS =
  'There are no keys in its data directory, as after an import: put the "identities" directory of a backup there and restart.';

/** See {@link createEmbeddedLedger}. */
export async function openEmbeddedLedger(options: EmbeddedLedgerOptions): Promise<Ledger> {
  checkNames(options);
  const directory = new DataDirectory(resolve(options.dataDir));
  directory.prepare();
  const lock = DirectoryLock.take(directory.lock, directory.path);
  try {
    return await openLocked(directory, options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openLocked(
  directory: DataDirectory,
  options: EmbeddedLedgerOptions,
  lock: DirectoryLock,
): Promise<Ledger> {
  const { channel: name, logger } = options;
  const isNew = !directory.exists();
  const identities = await openIdentities(directory, options, isNew);
  mkdirSync(directory.channel(name), { recursive: true, mode: 0o700 });

  const events = new LedgerEvents(options);
  const opened = identities && (await startWriter(directory, options, { identities, isNew, events }));
  if (isNew && identities !== undefined) directory.claim(options);

  const db = openForReading(directory.store(name));
  const head = opened?.head ?? headOf(new StoreReader(db), readPin(directory.pin(name)), directory.store(name));
  if (head === undefined) throw new DamagedError(`${directory.store(name)} holds no block: restore it from a backup.`);
  const channel = new EmbeddedChannel(name, db, head);
  events.attach(channel);
  if (opened === undefined) channel.becomeReadOnly(NO_KEYS);
  else channel.writeThrough(opened.client);
  logger?.info({ dataDir: directory.path, channel: name, height: head.height }, 'ledger opened');
  return new EmbeddedLedger(channel, {
    closeWriter: async () => opened?.client.close(),
    closeStore: () => {
      db.close();
    },
    releaseLock: () => {
      lock.release();
    },
  });
}

/** The identities that sign, made when the ledger is new; undefined for a ledger that was imported without keys. */
async function openIdentities(
  directory: DataDirectory,
  options: EmbeddedLedgerOptions,
  isNew: boolean,
): Promise<Identities | undefined> {
  const store = new IdentityStore(directory.identities, options.mspId);
  if (isNew) await store.create();
  else directory.requireNames(options);
  return store.exists() ? store.load() : undefined;
}

async function startWriter(
  directory: DataDirectory,
  options: EmbeddedLedgerOptions,
  { identities, isNew, events }: Readonly<{ identities: Identities; isNew: boolean; events: LedgerEvents }>,
): Promise<{ readonly client: WriterClient; readonly head: ChainHead }> {
  const { channel, chaincode, mspId } = options;
  return WriterClient.start(
    {
      channel,
      chaincode,
      mspId,
      identities,
      isNew,
      storePath: directory.store(channel),
      pinPath: directory.pin(channel),
    },
    serializeIdentity(mspId, Buffer.from(identities.client.certificate)),
    events,
  );
}

/** Passes on what the writer thread tells. */
class LedgerEvents {
  readonly #options: EmbeddedLedgerOptions;
  #channel: EmbeddedChannel | undefined;

  constructor(options: EmbeddedLedgerOptions) {
    this.#options = options;
  }

  get #logger(): LedgerLogger | undefined {
    return this.#options.logger;
  }

  attach(channel: EmbeddedChannel): void {
    this.#channel = channel;
  }

  committed(
    head: ChainHead,
    observation: Readonly<{ blockNumber: number; transactions: number; seconds: number }>,
  ): void {
    this.#channel?.advance(head);
    this.#options.onCommit?.(observation);
  }

  readOnly(reason: string): void {
    this.#channel?.becomeReadOnly(reason);
    this.#logger?.error({ reason }, 'the ledger takes no more writes until it is restarted');
  }

  unexpected(error: Error): void {
    this.#logger?.error({ err: error }, 'unexpected failure in the writer thread');
  }
}
