import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadingConnection } from '#chain-pages';
import type { CertificateAttributes } from '#fabric-codec/certificates';
import { makeDirectory, shareWithOwner, syncDirectory, writeFileDurably } from '#files';
import { callerNameFault, damaged, isLedgerError, misconfigured } from '#ledger-gateway';
import { CertificateNotes } from '#ledger-gateway/driver';
import { readBlocksToLive } from '../store/blocks-to-live.js';
import { migrateStore } from '../store/migrations/migrate-store.js';
import { DataDirectory, requireEmptyDirectory } from '../store/data-directory.js';
import { HeadPin, readPin } from '../store/head-pin.js';
import { copyIdentities, IdentityStore } from '../store/identity-store.js';
import { openProven } from '../store/open-store.js';
import { STORE_FORMAT } from '../store/schema.js';
import { storeFailure } from '../store/store-failure.js';
import type { ChainHead } from '../store/store-reader.js';
import {
  blockFile,
  EXPORT_FORMAT,
  removeIncompleteExport,
  EXPORT_MANIFEST,
  openBlock,
  storedChain,
  type Progress,
} from './chain-source.js';
import { copyStores, type StoreFiles } from './copy-stores.js';
import { requireIntactRecords } from './record-check.js';

/** Options of {@link backupLedger} and {@link exportLedger}. */
export interface LedgerCopy {
  readonly dataDir: string;
  /** A new or empty directory. */
  readonly target: string;
  readonly progress?: (done: number, total: number, unit: 'blocks' | 'pages' | 'records') => void;
}

/** Options of {@link backupLedger}. */
export interface LedgerBackup extends LedgerCopy {
  /**
   * Small files of other owners that belong to the ledger, such as the callers: paths by their names in the copy. They are copied first,
   * so that a tree over the blocks has signed nothing that the copy of the ledger lacks.
   */
  readonly companions?: ReadonlyMap<string, string>;
}

/**
 * Copies a ledger, in use or not, with its keys into a directory that can be used as a data directory. The copy is of one
 * moment and in the format of the original; writes continue meanwhile. Every record of the copy is checked.
 * @throws `LEDGER.DAMAGED` when the copy has a damaged record; it is removed then
 */
export async function backupLedger({
  dataDir,
  target,
  progress = () => undefined,
  companions = new Map(),
}: LedgerBackup): Promise<ChainHead> {
  const from = new DataDirectory(dataDir);
  const to = new DataDirectory(target);
  const { channel, mspId } = from.names();
  requireUsableIdentities(from, mspId);
  const pin = readPin(from.pin(channel));
  const { db: source } = openProven(from.store(channel), pin);
  try {
    if (!to.isInterruptedCopy()) requireEmptyDirectory(target);
    to.beginCopy();
    for (const [name, path] of companions) writeFileDurably(join(target, name), readFileSync(path));
    await copyChannel(source, channel, { from, to }, (done, total) => {
      progress(done, total, 'pages');
    });
  } catch (error) {
    throw storeFailure(error, from.store(channel));
  } finally {
    source.close();
  }
  let head: ChainHead;
  try {
    // Against the pin that was read before the copy began: the copy must contain what was acknowledged by then.
    head = requireIntact(to.store(channel), pin, progress);
  } catch (error) {
    if (!isLedgerError(error, 'LEDGER.DAMAGED')) throw error;
    to.undoCopy();
    for (const name of companions.keys())
      rmSync(join(target, name.replace(/\/.*/, '')), { recursive: true, force: true });
    throw damaged(`The copy of ${from.store(channel)} is damaged and was removed: ${error.message}`, error);
  }
  if (existsSync(from.identities)) copyIdentities(from.identities, to.identities);
  new HeadPin(to.pin(channel), { number: head.height - 1, hash: head.currentHash }).close();
  // The manifest is last: with it the directory is a ledger.
  writeFileDurably(to.manifest, readFileSync(from.manifest));
  to.finishCopy();
  return head;
}

/** Copies the store of a channel, its private values and the definitions of their collections. */
async function copyChannel(
  source: ReadingConnection,
  channel: string,
  { from, to }: { readonly from: DataDirectory; readonly to: DataDirectory },
  progress: Progress,
): Promise<void> {
  makeDirectory(to.channel(channel));
  const [read, written] = [from, to].map((directory): StoreFiles => {
    return { store: directory.store(channel), values: directory.valuesOf(channel) };
  }) as [StoreFiles, StoreFiles];
  await copyStores(source, read, written, progress);
  // A collection that is defined meanwhile has no keys in the copy.
  if (existsSync(from.collections)) writeFileDurably(to.collections, readFileSync(from.collections));
}

/** Damaged keys in a backup would be discovered only when it is needed. */
function requireUsableIdentities({ identities }: DataDirectory, mspId: string): void {
  const store = new IdentityStore(identities, mspId);
  const [fault] = store.exists() ? store.faults() : [];
  if (fault !== undefined) throw damaged(`${fault} Nothing was copied; "export" writes the blocks alone.`);
}

/** Checks the records of a copy, not of the original, whose log would grow during a long read. */
function requireIntact(
  path: string,
  pin: ReturnType<typeof readPin>,
  progress: NonNullable<LedgerCopy['progress']>,
): ChainHead {
  const copy = openProven(path, pin);
  try {
    requireIntactRecords(copy, (done, total) => {
      progress(done, total, 'records');
    });
    return copy.head;
  } finally {
    copy.db.close();
  }
}

/** The head of an exported chain. */
export interface ExportedLedger extends ChainHead {
  /** Whether the ledger has private values, of which blocks contain hashes only. */
  readonly hasPrivateValues: boolean;
}

/**
 * Writes every block as its own file, as Fabric's tools read it. The ledger may be in use: blocks never change, and newer
 * ones are left out. Keys are not exported.
 */
export function exportLedger({ dataDir, target, progress = () => undefined }: LedgerCopy): ExportedLedger {
  const directory = new DataDirectory(dataDir);
  const names = directory.names();
  const pin = readPin(directory.pin(names.channel));
  const { db, reader, head } = openProven(directory.store(names.channel), pin, 'blocks');
  try {
    const { height } = head;
    const chain = storedChain(reader, height);
    removeIncompleteExport(target);
    requireEmptyDirectory(target);
    for (let number = 0; number < height; number++) {
      const file = join(target, blockFile(number));
      writeFileSync(file, openBlock(chain.raw(number)).bytes, { flush: true });
      shareWithOwner(file);
      progress(number + 1, height, 'blocks');
    }
    const blockToLive = readBlocksToLive(directory.collections);
    const collections = Object.keys(blockToLive).length === 0 ? {} : { blockToLive };
    const manifest = { format: EXPORT_FORMAT, ...names, height, currentBlockHash: head.currentHash, ...collections };
    // The manifest is last: with it the export is complete.
    syncDirectory(target);
    writeFileDurably(join(target, EXPORT_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, 0o644);
    return { ...head, hasPrivateValues: existsSync(directory.valuesOf(names.channel)) };
  } finally {
    db.close();
  }
}

/** The head of an upgraded ledger, and the formats of its store. */
export interface UpgradedLedger extends ChainHead {
  readonly format: number;
  readonly previousFormat: number;
}

/**
 * Upgrades the store of a ledger that is not in use, as its next start would.
 * @param options - `format` is the expected one: programs that know only older formats cannot be served
 * @throws `LEDGER.MISCONFIGURED` when the ledger is in use or there is not enough free space, `LEDGER.DAMAGED`
 */
export async function upgradeLedger(options: {
  readonly dataDir: string;
  readonly format: number;
  readonly progress: Progress;
}): Promise<UpgradedLedger> {
  const { format, progress } = options;
  if (format !== STORE_FORMAT) {
    const advice = format < STORE_FORMAT ? 'use release 0.2 to return to release 0.1' : 'use the release that has it';
    throw misconfigured(`This release writes format ${STORE_FORMAT} only: ${advice}.`);
  }
  const directory = new DataDirectory(options.dataDir);
  const { channel, chaincode: namespace } = directory.names();
  return directory.withLock(async () => {
    directory.finishRebuild(channel);
    const path = directory.store(channel);
    const { db, format: previousFormat, head } = openProven(path, readPin(directory.pin(channel)));
    db.close();
    if (previousFormat !== format) await migrateStore(path, { namespace, progress });
    return { ...head, format, previousFormat };
  });
}

/**
 * Issues a caller a new key and certificate. The ledger may be in use, and reads them within a second; the previous
 * certificate is retained, so that a write which is repeated under its key is still found.
 * @param options - `certificatesDir` has the records of the callers' certificates, from which a lost identity file is replaced
 * @returns the common name of the certificate, and when it expires (ISO 8601)
 * @throws `LEDGER.MISCONFIGURED` when the caller has no identity, or the directory no ledger or no `ca.key.pem`,
 * `LEDGER.DAMAGED` when a file cannot be read
 */
export async function renewCaller(options: {
  readonly dataDir: string;
  readonly name: string;
  readonly attributes?: CertificateAttributes | undefined;
  readonly certificatesDir?: string;
}): Promise<{ readonly commonName: string; readonly ends: string }> {
  const { dataDir, name, attributes, certificatesDir } = options;
  const fault = callerNameFault(name);
  if (fault !== undefined) throw misconfigured(fault);
  const directory = new DataDirectory(dataDir);
  const store = new IdentityStore(directory.identities, directory.names().mspId);
  const noted = new CertificateNotes(certificatesDir).textOf(name);
  const { certificate, commonName } = await store.renewCaller(name, { attributes, noted });
  return { commonName, ends: new X509Certificate(certificate).validToDate.toISOString() };
}
