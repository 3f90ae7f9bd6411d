import { hash, X509Certificate } from 'node:crypto';
import {
  type Asset,
  encodeBatch,
  MAX_BATCH_ASSETS,
  type Origin,
  originArguments,
  readBatchResult,
} from '#asset-contract';
import { isLedgerError, isRefusal, type Ledger, type LedgerError, misconfigured, type Page } from '#ledger-gateway';
import { RECORDS_NAME } from '#records-contract';
import type { EmbeddedLedger } from '../../handover/embedded-ledger.js';
import { openEmbeddedLedger } from '../../handover/open-embedded-ledger.js';
import { PrivateReader } from '../../private/private-reader.js';
import { DataDirectory } from '../../store/data-directory.js';
import { chaincodesIn, StateReaders } from '../../store/namespace-reader.js';
import { openForReading } from '../../store/open-store.js';
import { StoreReader } from '../../store/store-reader.js';
import { RecordCopy } from './record-copy.js';
import {
  Comparison,
  type Difference,
  MAX_DIFFERENCES,
  missingIn,
  type Pair,
  pairsOf,
  repeatWhileUnavailable,
  type StoredText,
} from './migration-pairs.js';

/** Options of {@link migrateLedger}. */
export interface Migration {
  /** The ledger whose assets are copied. */
  readonly dataDir: string;
  /** The ledger that they are copied to. Its chaincode has CreateAssets and RecordOrigin. */
  readonly target: Ledger;
  readonly progress?: (done: number, total: number, unit: `${'assets' | 'records'} ${'compared' | 'created'}`) => void;
  /** Milliseconds for which a call is sent again while the target is unavailable. */
  readonly retryFor?: number;
}

export type { Difference };

/** The result of {@link migrateLedger}. */
export interface MigrationReport {
  readonly origin: Origin;
  /** The transaction that records the origin, which is the first of the migration. */
  readonly transactionId: string;
  /** The assets that this run has created. Those of an earlier run were there already. */
  readonly created: number;
  /** The assets of both ledgers, each of which was compared. */
  readonly compared: number;
  /** The records that this run has created, and those of both ledgers. */
  readonly records: { readonly created: number; readonly compared: number };
  /** The number of differences of assets, types and records, and the first of them. */
  readonly differing: number;
  readonly differences: readonly Difference[];
  /** Other chaincodes of the embedded ledger, whose records were not copied. */
  readonly otherChaincodes: readonly string[];
}

const ASSETS_PER_READ = 500;
/** Batches in flight, so that the latency of a commit counts once for several. */
const BATCHES_AT_ONCE = 4;
const RETRY_FOR_MS = 600_000;
const IN_USE = 'stop it, or start it again with LEDGER_READ_ONLY=on: reads then continue during the migration.';

/**
 * Copies the assets and the records of an embedded ledger to another ledger, and compares every one at the end. Its progress is the content of
 * the target: after an interruption at any moment another run creates what is missing. The directory is locked, so that no
 * process writes to the source meanwhile; processes that have opened it to be read only continue.
 * @throws `LEDGER.MISCONFIGURED` when the directory is in use, or the target has other assets or another chaincode, and what
 * the target throws when it is unavailable for longer than `retryFor`
 */
export async function migrateLedger({ dataDir, target, ...options }: Migration): Promise<MigrationReport> {
  const directory = new DataDirectory(dataDir);
  const names = directory.names();
  return directory.withLock(async () => {
    const source = await openEmbeddedLedger({ dataDir, ...names, readOnly: true });
    const db = openForReading(directory.store(names.channel));
    const values = new PrivateReader(directory.valuesOf(names.channel));
    try {
      const { progress = (): void => undefined, retryFor = RETRY_FOR_MS } = options;
      const states = new StateReaders(db, new StoreReader(db), values);
      const records = new RecordCopy({ source: states.of(RECORDS_NAME), target, progress, retryFor });
      const report = await new AssetCopy({ source, target, records, progress, retryFor }).run(names.mspId);
      const copied = [names.chaincode, RECORDS_NAME];
      return { ...report, otherChaincodes: chaincodesIn(db).filter((name) => !copied.includes(name)) };
    } finally {
      values.close();
      db.close();
      await source.close();
    }
  }, IN_USE);
}

interface AssetCopyOptions extends Required<Pick<Migration, 'target' | 'progress' | 'retryFor'>> {
  readonly source: EmbeddedLedger;
  readonly records: RecordCopy;
}

/** Copies the assets of a ledger to another one, and its records after them. */
class AssetCopy {
  readonly #options: AssetCopyOptions;
  readonly #refused = new Map<string, string>();
  #created = 0;

  constructor(options: AssetCopyOptions) {
    this.#options = options;
  }

  async run(mspId: string): Promise<Omit<MigrationReport, 'otherChaincodes'>> {
    const { source, records } = this.#options;
    const origin = await originOf(source, mspId);
    const isOther = ({ kind }: Difference): boolean => kind !== 'missing';
    const before = await this.#compare(isOther);
    const recordsBefore = await records.compare(isOther);
    const others = together(before, recordsBefore);
    if (others.differing > 0) throw othersIn(others);
    const transactionId = await this.#recordOrigin(origin);
    await this.#createMissing(before.missing);
    await records.copy(recordsBefore.missing);
    const after = await this.#compare();
    const recordsAfter = await records.compare();
    const { created } = records;
    return {
      ...{ origin, transactionId, created: this.#created, compared: after.compared },
      records: { created, compared: recordsAfter.compared },
      ...together(after, recordsAfter),
    };
  }

  /** Records the origin once: the key of the transaction is the same in each run. */
  async #recordOrigin(origin: Origin): Promise<string> {
    const call = { function: 'RecordOrigin', arguments: originArguments(origin) };
    const options = { idempotencyKey: `migration-of-${origin.headHash}` };
    try {
      const { transactionId } = await this.#persistently(() => this.#options.target.submit(call, options));
      return transactionId;
    } catch (error) {
      if (isLedgerError(error, 'LEDGER.KEY_REUSED')) {
        const text = `This ledger was migrated to another chaincode of channel ${this.#options.target.channel}`;
        throw misconfigured(`${text}: set LEDGER_CHAINCODE to that one, or LEDGER_CHANNEL to another channel.`, error);
      }
      if (!isRefusal(error)) throw error;
      const advice = 'install the chaincode of this release';
      throw misconfigured(`The target's chaincode cannot record the origin: ${advice} (${error.message}).`, error);
    }
  }

  async #createMissing(total: number): Promise<void> {
    const batches = missingIn(this.#pairs(), MAX_BATCH_ASSETS);
    const work = async (): Promise<void> => {
      for await (const batch of batches) {
        await this.#create(batch);
        this.#options.progress(this.#created, Math.max(total, this.#created), 'assets created');
      }
    };
    // The failure of one ends the batches of all; each of them completes the batch that it has sent.
    const done = await Promise.allSettled(Array.from({ length: BATCHES_AT_ONCE }, work));
    const failed = done.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #create(batch: readonly StoredText[]): Promise<void> {
    const assets = batch.map(({ text }) => JSON.parse(text) as Asset);
    const call = { function: 'CreateAssets', arguments: [encodeBatch(assets)] };
    const { result } = await this.#persistently(() => this.#options.target.submit(call));
    const { created, refused } = readBatchResult(result);
    this.#created += created;
    for (const { index, code, reason } of refused) {
      const { id = '' } = batch[index] ?? {};
      // A transaction of an earlier attempt or run may have created it; the comparison decides.
      if (code !== 'ASSET_EXISTS' && this.#refused.size < MAX_DIFFERENCES) this.#refused.set(id, reason);
    }
  }

  /** Compares every asset. @param isCounted - whether a difference is one of the result */
  async #compare(isCounted?: (difference: Difference) => boolean): Promise<Comparison> {
    const { source, progress } = this.#options;
    const { assets: total } = await source.lists.totals();
    const report = (compared: number): void => {
      progress(compared, Math.max(total, compared), 'assets compared');
    };
    const found = new Comparison(this.#refused, report, isCounted);
    for await (const pair of this.#pairs()) found.compare(pair);
    return found;
  }

  /** Yields the assets of both ledgers in byte order of their ids. */
  #pairs(): AsyncGenerator<Pair, void> {
    const { source, target } = this.#options;
    const { assets: listed } = target;
    if (listed === undefined) throw misconfigured('The target lists no assets.');
    return pairsOf(
      assetsIn((page) => source.assets(page)),
      assetsIn((page) => this.#persistently(() => listed(page))),
    );
  }

  #persistently<T>(call: () => Promise<T>): Promise<T> {
    return repeatWhileUnavailable(call, this.#options.retryFor);
  }
}

/** The differences of a comparison. */
type Found = Pick<MigrationReport, 'differing' | 'differences'>;

function together(assets: Found, records: Found): Found {
  const differences = [...assets.differences, ...records.differences].slice(0, MAX_DIFFERENCES);
  return { differing: assets.differing + records.differing, differences };
}

/** Returns the head of a ledger, and its authority. */
async function originOf(source: EmbeddedLedger, mspId: string): Promise<Origin> {
  const { channel, height, currentBlockHash: headHash } = await source.chainInfo();
  const { raw } = new X509Certificate((await source.authorities(mspId)) ?? '');
  return { channel, height, headHash, authority: hash('sha256', raw) };
}

/** Yields all assets of a ledger, page by page. */
async function* assetsIn(
  read: (page: { limit: number; after?: string }) => Promise<Page<string, string>>,
): AsyncGenerator<StoredText, void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const { items, next: last }: Page<string, string> = await read({
      limit: ASSETS_PER_READ,
      ...(after !== '' && { after }),
    });
    for (const text of items) yield { id: (JSON.parse(text) as Asset).ID, text };
    after = last;
  }
}

function othersIn({ differing, differences }: Found): LedgerError {
  const [first] = differences.map(({ id, kind }) => `${JSON.stringify(id)} is ${kind}`);
  const others = `The target has ${differing} assets or records that the ledger does not have, or has otherwise: ${first}`;
  return misconfigured(`${others}. Nothing was written.`);
}
