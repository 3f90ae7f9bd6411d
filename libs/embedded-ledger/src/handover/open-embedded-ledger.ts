import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ChaincodeHost } from '#chaincode-host';
import type { ReadingConnection } from '#chain-pages';
import { decodeBlock } from '#fabric-codec';
import { type FileLock, makeDirectory } from '#files';
import { type CommitObservation, type LedgerLogger, misconfigured } from '#ledger-gateway';
import { type SigningOptions, type WritingOptions, CertificateNotes } from '#ledger-gateway/driver';
import { RECORDS_NAME } from '#records-contract';
import type { ChaincodeCalls } from '../chaincode/chaincode-calls.js';
import { PrivateReader } from '../private/private-reader.js';
import { requireValuesFile } from '../private/values-file.js';
import { ReadingThread } from '../reading/reading-thread.js';
import { defineCollections, readBlocksToLive, withCollections } from '../store/blocks-to-live.js';
import {
  checkDataDirectory,
  checkNames,
  DataDirectory,
  type LedgerNames,
  PIN_FILE,
  STORE_FILE,
} from '../store/data-directory.js';
import { readNewestDictionary } from '../store/block-writer.js';
import { readCallCounts } from '../store/call-index.js';
import { addBlock, readNewestEntry } from '../store/derived-tables.js';
import { readPin } from '../store/head-pin.js';
import { type Identities, IdentityStore, requireMembers } from '../store/identity-store.js';
import { openProven, openWithoutTrace, type ProvenStore, requireWritable } from '../store/open-store.js';
import { STORE_FORMAT } from '../store/schema.js';
import { storeFailure } from '../store/store-failure.js';
import type { StoreReader } from '../store/store-reader.js';
import { Signer } from '../writer/signing.js';
import { WriterClient } from '../writer/writer-client.js';
import type { WriterThreads } from '../writer/writer-threads.js';
import { EmbeddedLedger, type EmbeddedKeys, type EmbeddedStore, NO_KEYS } from './embedded-ledger.js';
import type { AttributesOf } from './writes.js';

const READ_ONLY = `The ledger is read-only. ${NO_KEYS}`;

/** Options of `createEmbeddedLedger`. */
export interface EmbeddedLedgerOptions extends LedgerNames, SigningOptions, WritingOptions {
  /** Created with identities and an empty chain if it does not exist. */
  readonly dataDir: string;
  /** By default no caller has attributes. */
  readonly attributesOf?: AttributesOf;
  /** Called after each commit, before its writes resolve. */
  readonly onCommit?: (observation: CommitObservation) => void;
  /** Chaincodes that the ledger runs in addition to its own contract, and ends when it closes. */
  readonly chaincodes?: ChaincodeHost | undefined;
  /** Whether new blocks are handed to {@link Ledger.treeEntries} as they are written, instead of being read again. */
  readonly hasTree?: boolean | undefined;
  /** Threads that are used one after another by ledgers that are opened and closed often. */
  readonly writerThreads?: WriterThreads | undefined;
  readonly logger?: LedgerLogger;
}

/** See {@link createEmbeddedLedger}. */
export async function openEmbeddedLedger(options: EmbeddedLedgerOptions): Promise<EmbeddedLedger> {
  checkNames(options);
  requireOtherNames(options);
  const directory = new DataDirectory(resolve(options.dataDir));
  if (options.readOnly === true) return openReadOnly(directory, options);
  directory.prepare();
  const lock = directory.lock();
  try {
    return await openLocked(directory, options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** @throws `LEDGER.MISCONFIGURED` when a chaincode has the name of one of the ledger's own contracts */
function requireOtherNames({ chaincode, chaincodes }: EmbeddedLedgerOptions): void {
  const taken = [chaincode, RECORDS_NAME].find((name) => chaincodes?.names.includes(name));
  if (taken === undefined) return;
  const advice =
    taken === chaincode
      ? 'use another name for one of them in LEDGER_CHAINCODES or LEDGER_CHAINCODE.'
      : 'use another name in LEDGER_CHAINCODES.';
  throw misconfigured(`The chaincode "${taken}" has the name of the ledger's own contract: ${advice}`);
}

/**
 * Opens a ledger that no process writes to. Its directory is not locked, so that a migration can read and lock it meanwhile.
 * @throws `LEDGER.MISCONFIGURED` when there is no ledger, or its store has an older format
 */
function openReadOnly(directory: DataDirectory, options: EmbeddedLedgerOptions): EmbeddedLedger {
  const { channel, chaincode, mspId, logger } = options;
  directory.requireNames(options);
  const { db, head, identities } = readLedger(directory, options);
  try {
    const storePath = directory.store(channel);
    const privateReader = new PrivateReader(directory.valuesOf(channel));
    const reading = new ReadingThread({ storePath, chaincode, valuesPath: directory.valuesOf(channel) });
    const opened = statSync(storePath).ino;
    const isReplaced = (): boolean => statSync(storePath, { throwIfNoEntry: false })?.ino !== opened;
    const keys = identities && { peer: new Signer(mspId, identities.peer) };
    logger?.info({ dataDir: directory.path, channel, height: head.height }, 'ledger opened to be read only');
    return new EmbeddedLedger({ channel, chaincode, mspId }, { db, head, reading, privateReader, isReplaced }, keys);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** What the next start would do and report. */
export interface StartCheck {
  /** The upgrade of the store; undefined for none. */
  readonly upgrade?: Readonly<{ path: string; from: number; to: number }> | undefined;
  /** Sentences about problems that do not prevent the start. */
  readonly warnings: readonly string[];
}

/**
 * Checks that {@link openEmbeddedLedger} would succeed: reads what it reads. Writes nothing, and takes no lock, so that another
 * process may have the ledger open.
 * @throws the error with which it would fail
 */
export function checkEmbeddedLedger(options: EmbeddedLedgerOptions): StartCheck {
  checkNames(options);
  requireOtherNames(options);
  const directory = new DataDirectory(resolve(options.dataDir));
  if (options.readOnly === true) directory.requireNames(options);
  else checkDataDirectory(options);
  if (!directory.exists()) return { warnings: [] };
  const { channel, mspId } = options;
  const folder = directory.readableChannel(channel);
  const path = join(folder, STORE_FILE);
  const { db, format: from, reader, identities } = readLedger(directory, options, openWithoutTrace);
  try {
    if (identities !== undefined && options.readOnly !== true) requireWriterStart(db, reader, from, path);
  } finally {
    db.close();
  }
  const upgrade = from === STORE_FORMAT ? undefined : { path: directory.store(channel), from, to: STORE_FORMAT };
  if (identities === undefined) return { upgrade, warnings: [READ_ONLY] };
  if (options.readOnly === true) return { warnings: [] };
  requirePrivateData(directory, options);
  for (const file of [path, join(folder, PIN_FILE)]) requireWritable(file);
  return { upgrade, warnings: new IdentityStore(directory.identities, mspId).warnings() };
}

/** @throws `LEDGER.MISCONFIGURED`, `LEDGER.DAMAGED` when the private data could not be opened for writing; writes nothing */
function requirePrivateData(directory: DataDirectory, { channel, chaincodes }: EmbeddedLedgerOptions): void {
  withCollections(readBlocksToLive(directory.collections), chaincodes?.collections ?? []);
  requireValuesFile(directory.valuesOf(channel));
}

/**
 * Opens a store for reading, and reads the identities that belong to it.
 * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`; nothing is open then
 */
function readLedger(
  directory: DataDirectory,
  { channel, mspId, readOnly }: EmbeddedLedgerOptions,
  openStore?: typeof openWithoutTrace,
): ProvenStore & { readonly identities: Identities | undefined } {
  const folder = directory.readableChannel(channel);
  const proven = openProven(join(folder, STORE_FILE), readPin(join(folder, PIN_FILE)), 'all', openStore);
  const { db, reader, format } = proven;
  try {
    if (readOnly === true && format !== STORE_FORMAT) {
      const advice = 'open it once without LEDGER_READ_ONLY, which upgrades it.';
      throw misconfigured(`The store in ${directory.path} has format ${format}: ${advice}`);
    }
    const store = new IdentityStore(directory.identities, mspId);
    if (!store.exists()) return { ...proven, identities: undefined };
    const identities = readOnly === true ? store.read() : store.check();
    requireMembers(reader.requireBlock(0).bytes, mspId, identities);
    return { ...proven, identities };
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Reads the rows that the writer thread and an upgrade read before they write: a start must fail before it has renewed
 * certificates, and a check must find what it would find.
 * @throws `LEDGER.DAMAGED`
 */
function requireWriterStart(db: ReadingConnection, reader: StoreReader, format: number, path: string): void {
  try {
    readCallCounts(db);
    readNewestEntry(db);
    readNewestDictionary(db);
    decodeBlock(reader.requireBlock(reader.height() - 1).bytes);
    // An upgrade copies every row of the state.
    if (format !== STORE_FORMAT) db.prepare('SELECT sum(length(value)) FROM state').all();
  } catch (error) {
    throw storeFailure(error, path);
  }
}

async function openLocked(
  directory: DataDirectory,
  options: EmbeddedLedgerOptions,
  lock: FileLock,
): Promise<EmbeddedLedger> {
  const { channel, chaincode, mspId, logger } = options;
  if (!directory.exists()) await createLedger(directory, options);
  directory.requireNames(options);
  directory.finishRebuild(channel);
  // Nothing is changed before the store is proven: neither the store and its log nor identities that are due for renewal.
  const { db, reader, head, format } = await openStore(directory, options);
  let keys: EmbeddedKeys | undefined;
  try {
    const identities = await openIdentities(directory, options, reader);
    if (identities !== undefined) {
      requireWriterStart(db, reader, format, directory.store(channel));
      requireWritable(directory.pin(channel));
    }
    const valuesPath = directory.valuesOf(channel);
    const privateReader = new PrivateReader(valuesPath);
    const reading = new ReadingThread({ storePath: directory.store(channel), chaincode, valuesPath });
    const advance: EmbeddedLedger['advance'] = (newest, entry) => {
      ledger.advance(newest, entry);
    };
    keys = identities && (await openWriter(directory, options, identities, { privateReader, advance }));
    const ledger = new EmbeddedLedger({ channel, chaincode, mspId }, { db, head, reading, privateReader, lock }, keys);
    if (keys === undefined) logger?.warn({ dataDir: directory.path }, READ_ONLY);
    logger?.info({ dataDir: directory.path, channel, height: head.height }, 'ledger opened');
    return ledger;
  } catch (error) {
    db.close();
    await closeWriting(keys?.writing);
    throw error;
  }
}

/** Ends the writer thread and chaincodes of a failed start, which no longer has the lock of the directory. */
async function closeWriting(writing: EmbeddedKeys['writing']): Promise<void> {
  await writing?.chaincodes?.close();
  await writing?.writer.close();
}

/** Opens the store, after upgrading one of an older format. */
async function openStore(directory: DataDirectory, options: EmbeddedLedgerOptions): Promise<ProvenStore> {
  const { channel, chaincode: namespace, logger } = options;
  const path = directory.store(channel);
  const pin = readPin(directory.pin(channel));
  const proven = openProven(path, pin);
  if (proven.format === STORE_FORMAT) return proven;
  proven.db.close();
  const { upgradeStore } = await import('../store/migrations/migrate-store.js');
  await upgradeStore(path, namespace, logger);
  return openProven(path, pin);
}

/** Creates identities and a store with block 0, or completes a first start that was interrupted. */
async function createLedger(directory: DataDirectory, options: EmbeddedLedgerOptions): Promise<void> {
  directory.beginClaim(options);
  const { channel, chaincode, mspId } = options;
  const store = new IdentityStore(directory.identities, mspId);
  await store.create();
  const identities = await store.load();
  makeDirectory(directory.channel(channel));
  const { blockDictionary, firstBlock } = await import('../writer/block-forge.js');
  const { buildStore } = await import('../store/build-store.js');
  const bytes = firstBlock(options, identities);
  const block = decodeBlock(bytes);
  await buildStore({
    path: directory.store(channel),
    pinPath: directory.pin(channel),
    chaincode,
    dictionary: blockDictionary(mspId, identities),
    blocks: (tables) => {
      addBlock(tables, block);
      return [{ bytes, hash: block.hash }];
    },
  });
  directory.claim(options);
}

/** Loads the identities that sign; undefined for a ledger that was imported without keys. */
async function openIdentities(
  directory: DataDirectory,
  { mspId, logger }: EmbeddedLedgerOptions,
  reader: StoreReader,
): Promise<Identities | undefined> {
  const store = new IdentityStore(directory.identities, mspId);
  if (!store.exists()) return undefined;
  const identities = await store.load();
  requireMembers(reader.requireBlock(0).bytes, mspId, identities);
  for (const warning of store.warnings()) logger?.warn({ identities: directory.identities }, warning);
  return identities;
}

/** @param advance - publishes a new head of the chain */
async function openWriter(
  directory: DataDirectory,
  options: EmbeddedLedgerOptions,
  identities: Identities,
  { privateReader, advance }: Pick<EmbeddedStore, 'privateReader'> & Pick<EmbeddedLedger, 'advance'>,
): Promise<EmbeddedKeys> {
  const { channel, chaincode, mspId, signAs, idempotencyDays, attributesOf, certificatesDir, logger, onCommit } =
    options;
  const { hasTree = false } = options;
  const valuesPath = directory.valuesOf(channel);
  const files = { storePath: directory.store(channel), pinPath: directory.pin(channel), valuesPath };
  const blocksToLive = defineCollections(directory.collections, options.chaincodes?.collections ?? []);
  requirePrivateData(directory, options);
  const writer = await WriterClient.start(
    { channel, chaincode, mspId, ...files, identities, blocksToLive, hasTree },
    {
      committed: (head, observation, entry) => {
        advance(head, entry);
        onCommit?.(observation);
      },
      logger,
    },
    options.writerThreads,
  );
  try {
    const store = new IdentityStore(directory.identities, mspId);
    const notes = new CertificateNotes(certificatesDir, logger);
    const peer = new Signer(mspId, identities.peer);
    const chaincodes = await startChaincodes(options, files.storePath, writer, privateReader);
    const service = identities.client;
    const writing = { writer, service, chaincodes, store, notes, signAs, idempotencyDays, attributesOf };
    return { writing, peer };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

async function startChaincodes(
  { channel, chaincode, mspId, logger, chaincodes: host }: EmbeddedLedgerOptions,
  storePath: string,
  writer: WriterClient,
  privateReader: PrivateReader,
): Promise<ChaincodeCalls | undefined> {
  if (host === undefined) return undefined;
  const { ChaincodeCalls } = await import('../chaincode/chaincode-calls.js');
  const { OwnContract } = await import('../chaincode/own-contract.js');
  await host.start(new OwnContract(chaincode));
  return new ChaincodeCalls({ channel, storePath, host, writer, privateReader, mspId, logger });
}
