import { contractRefusal, isLedgerError, type Ledger, misconfigured } from '#ledger-gateway';
import {
  canonicalJson,
  DOCUMENTS_COLLECTION,
  type Json,
  MAX_BATCH_RECORDS,
  readRecord,
  readSealed,
  readType,
  type RecordBatchResult,
  recordKey,
  RECORDS_NAME,
  type RecordType,
  typeKey,
} from '#records-contract';
import type { NamespaceReader } from '../../store/namespace-reader.js';
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

/** What {@link RecordCopy} needs. */
export interface RecordMigration {
  /** Reads the records of the source, and their documents that are outside the blocks. */
  readonly source: NamespaceReader;
  readonly target: Ledger;
  readonly progress: (done: number, total: number, unit: 'records created' | 'records compared') => void;
  /** Milliseconds for which a call is sent again while the target is unavailable. */
  readonly retryFor: number;
}

const RECORDS_PER_READ = 500;

/**
 * Copies the types of records and the records of a ledger to another one, with the same ids. A type gets each version of its
 * definition, and the records of a version are created before the next one is defined, so that each meets the schema that it met
 * before.
 */
export class RecordCopy {
  readonly #options: RecordMigration;
  readonly #refused = new Map<string, string>();
  /** The records that this run has created. */
  created = 0;

  constructor(options: RecordMigration) {
    this.#options = options;
  }

  /** Compares every type and every record. @param isCounted - whether a difference is one of the result */
  async compare(isCounted?: (difference: Difference) => boolean): Promise<Comparison> {
    const report = (compared: number): void => {
      this.#options.progress(compared, compared, 'records compared');
    };
    const found = new Comparison(this.#refused, report, isCounted);
    const types = [...this.#types()];
    const theirs = await this.#targetTypes(types.length > 0);
    for (const { name } of theirs.values()) {
      if (!types.some((type) => type.name === name)) found.add(`record-types/${name}`, 'additional');
    }
    for (const type of types) {
      found.add(`record-types/${type.name}`, this.#differenceOf(type, theirs.get(type.name)));
      for await (const pair of this.#pairs(type.name, theirs.has(type.name))) {
        found.compare(pair, `records/${type.name}/${pair.id}`);
      }
    }
    return found;
  }

  /** Defines what the target does not have, and creates the records that it does not have. */
  async copy(total: number): Promise<void> {
    for (const type of this.#types()) {
      const definitions = this.#definitionsOf(type.name);
      const present = (await this.#targetTypes(true)).get(type.name);
      if (present !== undefined) await this.#createMissing(type.name, present.version, total);
      for (const definition of definitions.slice(present?.version ?? 0)) {
        await this.#define(definition);
        await this.#createMissing(type.name, definition.version, total);
      }
    }
  }

  *#types(): Generator<RecordType> {
    for (const { text } of this.#stored(typeKey(''))) yield readType(Buffer.from(text));
  }

  /** Returns the definitions of a type, the first version first. */
  #definitionsOf(type: string): readonly RecordType[] {
    const values = [...this.#options.source.history(typeKey(type))].flatMap(({ value }) =>
      value === undefined ? [] : [value],
    );
    return values.map((value) => readType(value)).reverse();
  }

  /** A type of the target may be at an earlier version of the source, after an interruption. */
  #differenceOf(type: RecordType, theirs: RecordType | undefined): Difference['kind'] | undefined {
    if (theirs === undefined) return 'missing';
    const same = this.#definitionsOf(type.name).find(({ version }) => version === theirs.version);
    if (same === undefined || textOf(same) !== textOf(theirs)) return 'different';
    return same.version === type.version ? undefined : 'missing';
  }

  async #define({ name, mode, payload, schema, indexes }: RecordType): Promise<void> {
    await this.#submit('DefineType', [name, canonicalJson({ mode, payload, schema, indexes })]);
  }

  /** Creates the records that the target does not have and that met a version of their type, or an earlier one. */
  async #createMissing(type: string, version: number, total: number): Promise<void> {
    for await (const batch of missingIn(this.#pairsUpTo(type, version), MAX_BATCH_RECORDS)) {
      await this.#create(type, batch, total);
    }
  }

  async *#pairsUpTo(type: string, version: number): AsyncGenerator<Pair, void> {
    for await (const pair of this.#pairs(type, true)) {
      if (pair.source !== undefined && versionIn(pair.source) <= version) yield pair;
    }
  }

  async #create(type: string, batch: readonly StoredText[], total: number): Promise<void> {
    const transient = new Map<string, Uint8Array>();
    const elements = batch.flatMap((record) => this.#elementOf(type, record, transient));
    if (elements.length === 0) return;
    const args = [type, `[${elements.map(({ text }) => text).join(',')}]`];
    const { created, refused } = (await this.#submit('CreateMany', args, transient)) as RecordBatchResult;
    this.created += created.length;
    this.#options.progress(this.created, Math.max(total, this.created), 'records created');
    for (const refusal of refused) {
      const { id = '' } = elements[refusal.index] ?? {};
      // A transaction of an earlier attempt or run may have created it; the comparison decides.
      if (refusal.code !== 'RECORD_EXISTS') this.#refuse(type, id, contractRefusal(refusal).message);
    }
  }

  /**
   * Returns the element of a batch; none for a record whose document is not stored in the source.
   * @param transient - receives the document of a record that has it outside the blocks, with its salt: the target then has equal
   * digests
   */
  #elementOf(type: string, { id, text }: StoredText, transient: Map<string, Uint8Array>): readonly StoredText[] {
    const stored = Buffer.from(text);
    const digest = readSealed(stored)?.h;
    if (digest === undefined) return [{ id, text: canonicalJson({ id, document: readRecord(stored)?.d ?? null }) }];
    const sealed = this.#options.source.privateValue({ collection: DOCUMENTS_COLLECTION, key: digest });
    if (sealed === undefined) {
      this.#refuse(type, id, 'Its document is outside the blocks, and is not stored in this directory.');
      return [];
    }
    transient.set(digest, sealed);
    return [{ id, text: canonicalJson({ digest, id }) }];
  }

  #refuse(type: string, id: string, reason: string): void {
    if (this.#refused.size < MAX_DIFFERENCES) this.#refused.set(`records/${type}/${id}`, reason);
  }

  #pairs(type: string, isDefined: boolean) {
    return pairsOf(this.#records(type), isDefined ? this.#targetRecords(type) : nothing());
  }

  async *#records(type: string): AsyncGenerator<StoredText, void> {
    yield* await Promise.resolve(this.#stored(recordKey(type, '')));
  }

  /** Yields the values of the source whose keys begin with a text that ends with a slash. */
  *#stored(prefix: string): Generator<StoredText> {
    const end = `${prefix.slice(0, -1)}0`;
    for (let start = prefix; ;) {
      const found = this.#options.source.range({ start, end, limit: RECORDS_PER_READ });
      for (const { key, value } of found) yield { id: key.slice(prefix.length), text: Buffer.from(value).toString() };
      const last = found.at(-1);
      if (last === undefined || found.length < RECORDS_PER_READ) return;
      start = `${last.key}\u0000`;
    }
  }

  async *#targetRecords(type: string): AsyncGenerator<StoredText, void> {
    for (let bookmark: string | undefined = ''; bookmark !== undefined;) {
      const page = (await this.#evaluate('List', [type, String(RECORDS_PER_READ), bookmark])) as {
        readonly records: readonly { readonly id: string; readonly record: Json }[];
        readonly bookmark: string;
      };
      for (const { id, record } of page.records) yield { id, text: canonicalJson(record) };
      bookmark = page.bookmark === '' ? undefined : page.bookmark;
    }
  }

  /** @param isNeeded - whether the source has records; a target of a source without them needs no chaincode for them */
  async #targetTypes(isNeeded: boolean): Promise<ReadonlyMap<string, RecordType>> {
    const types = new Map<string, RecordType>();
    if (!isNeeded) return types;
    for (let bookmark: string | undefined = ''; bookmark !== undefined;) {
      const page = (await this.#evaluate('ListTypes', [String(RECORDS_PER_READ), bookmark])) as {
        readonly types: readonly RecordType[];
        readonly bookmark: string;
      };
      for (const type of page.types) types.set(type.name, type);
      bookmark = page.bookmark === '' ? undefined : page.bookmark;
    }
    return types;
  }

  async #evaluate(name: string, args: readonly string[]): Promise<unknown> {
    const call = { chaincode: RECORDS_NAME, function: name, arguments: args };
    return parse(await this.#persistently(() => this.#options.target.evaluate(call)));
  }

  async #submit(
    name: string,
    args: readonly string[],
    transient: ReadonlyMap<string, Uint8Array> = new Map(),
  ): Promise<unknown> {
    const call = { chaincode: RECORDS_NAME, function: name, arguments: args, ...(transient.size > 0 && { transient }) };
    return parse((await this.#persistently(() => this.#options.target.submit(call))).result);
  }

  async #persistently<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await repeatWhileUnavailable(call, this.#options.retryFor);
    } catch (error) {
      if (!isLedgerError(error, 'LEDGER.CHAINCODE_UNKNOWN')) throw error;
      const advice = 'install the records chaincode of this release there (docs/records.md)';
      throw misconfigured(`The ledger has records, and the target has no chaincode ${RECORDS_NAME}: ${advice}.`, error);
    }
  }
}

async function* nothing(): AsyncGenerator<StoredText, void> {
  yield* await Promise.resolve([]);
}

/** Returns the version of the type that a record met. */
function versionIn(record: string): number {
  const stored = Buffer.from(record);
  return (readRecord(stored) ?? readSealed(stored))?.v ?? 0;
}

function textOf(type: RecordType): string {
  return canonicalJson({ ...type });
}

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}
