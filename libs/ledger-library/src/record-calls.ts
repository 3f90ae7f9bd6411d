import { idFault } from '#contract-kit';
import { contractRefusal, isLedgerError, type Ledger, LedgerError } from '#ledger-gateway';
import { RecordDocuments, type RecordContent, type StoredForm } from '#record-documents';
import { MAX_BATCH_BYTES, MAX_BATCH_RECORDS, RECORDS_NAME, type RecordBatchResult } from '#records-contract';
import { CallSlots } from '#threads';
import type {
  Appended,
  AppendedMany,
  AppendManyOptions,
  AppendOptions,
  DefinedType,
  ListOptions,
  Purged,
  RecordChange,
  RefusedDocument,
  StoredRecord,
  TypeDefinition,
} from './public-types.js';

/** Records that are read at once. */
const PAGE = 200;
/** Transactions of one `appendMany` that are in flight: one is stored while others are signed. */
const MAX_RUNNING = 3;

/** A document as JSON text, which is passed on as it is: parsing could alter a number. */
export interface DocumentText {
  /** Its position among the documents. */
  readonly index: number;
  /** Valid by `parseDocument`: one that is not would refuse its whole transaction. */
  readonly text: string;
  /** By default the contract makes one. */
  readonly id: string | undefined;
}

/** Calls the records contract of a ledger. */
export class RecordCalls {
  readonly #ledger: Ledger;
  readonly #documents: RecordDocuments;
  /** Types that are being defined because they were unknown. */
  readonly #defining = new Map<string, Promise<unknown>>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    this.#documents = new RecordDocuments(ledger);
  }

  async define(type: string, definition: TypeDefinition): Promise<DefinedType> {
    const { value } = await this.#submit('DefineType', [type, jsonOf(definition)]);
    const { name, version, mode, payload, schema, indexes } = value as DefinedType;
    return { name, version, mode, payload, schema, indexes };
  }

  async append(type: string, document: unknown, { id = '', key }: AppendOptions): Promise<Appended> {
    const args = [type, id, jsonOf(document)];
    const { value, ...facts } = await this.#defined(type, () => this.#submit('Create', args, key));
    return { id: (value as { id: string }).id, ...facts };
  }

  async appendMany(type: string, documents: Iterable<unknown>, options: AppendManyOptions): Promise<AppendedMany> {
    const refused: RefusedDocument[] = [];
    const texts = [...textsOf(documents, options.key, refused)];
    const result = await this.appendTexts(type, texts);
    refused.push(...result.refused);
    return { created: result.created, refused: refused.sort((a, b) => a.index - b.index) };
  }

  /** Appends documents that are JSON texts, up to 500 in a transaction. */
  async appendTexts(type: string, texts: readonly DocumentText[]): Promise<AppendedMany> {
    const slots = new CallSlots({ limit: MAX_RUNNING, queueLimit: Infinity });
    const running = [...batchesOf(texts)].map((batch) => slots.run(() => this.#createMany(type, batch)));
    const results = await Promise.all(running);
    return { created: results.flatMap(({ created }) => created), refused: results.flatMap(({ refused }) => refused) };
  }

  async get(type: string, id: string): Promise<StoredRecord<unknown> | undefined> {
    try {
      const stored = (await this.#evaluate('Get', [type, id])) as StoredForm;
      return recordOf(id, await this.#documents.content(stored));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async *list(type: string, { where = {}, after = '' }: ListOptions): AsyncGenerator<StoredRecord<unknown>, void> {
    const conditions = Object.entries(where).map(([field, value]) => ({ field, value: String(value) }));
    let from = after;
    for (;;) {
      const page = await (conditions.length === 0 ? this.#page(type, from) : this.#found(type, conditions, from));
      yield* page.records;
      if (page.next === '') return;
      from = page.next;
    }
  }

  /** Erases the documents of all versions of a record, and deletes it. */
  async purge(type: string, id: string): Promise<Purged> {
    const { transactionId, blockNumber } = await this.#documents.purge({ type, id }, '', {});
    return { transactionId, block: blockNumber };
  }

  async *history(type: string, id: string): AsyncGenerator<RecordChange<unknown>, void> {
    let bookmark = '';
    do {
      const page = (await this.#evaluate('History', [type, id, String(PAGE), bookmark])) as {
        readonly changes: readonly {
          readonly transactionId: string;
          readonly timestamp: string;
          readonly isDelete: boolean;
          readonly record: StoredForm | null;
        }[];
        readonly bookmark: string;
      };
      const contents = await this.#documents.contents(page.changes.flatMap(({ record }) => record ?? []));
      for (const { transactionId, timestamp, isDelete, record } of page.changes) {
        const { document, outside } = (record && contents.get(record)) ?? {};
        yield { transactionId, timestamp, deleted: isDelete, document, ...(outside && { outside }) };
      }
      ({ bookmark } = page);
    } while (bookmark !== '');
  }

  async #page(type: string, after: string): Promise<RecordsPage> {
    const { records, bookmark } = (await this.#evaluate('List', [type, String(PAGE), after])) as {
      readonly records: readonly { readonly id: string; readonly record: StoredForm }[];
      readonly bookmark: string;
    };
    return { records: await this.#documents.withContents(records), next: bookmark };
  }

  async #found(type: string, where: readonly { field: string; value: string }[], after: string): Promise<RecordsPage> {
    const { indexes, payload } = (await this.#evaluate('GetType', [type])) as DefinedType;
    const unknown = where.find(({ field }) => !indexes.includes(field));
    if (unknown !== undefined) {
      const known = indexes.length === 0 ? 'it has no indexed fields' : `its indexed fields are ${indexes.join(', ')}`;
      throw new LedgerError(
        'LEDGER.INVALID_ARGUMENT',
        `records of ${type} cannot be listed by ${unknown.field}: ${known}`,
      );
    }
    if (payload === 'outside') {
      const page = await this.#documents.find({ type, where }, { limit: PAGE, after });
      return { records: page.items, next: page.next ?? '' };
    }
    const { records } = this.#ledger.lists;
    if (records === undefined) throw new LedgerError('LEDGER.NOT_SUPPORTED', 'This ledger has no index of fields.');
    const { items, next = '' } = await records({ type, where, limit: PAGE, ...(after !== '' && { after }) });
    const found = items.map(({ id, record }) => ({ id, record: JSON.parse(record) as StoredForm }));
    return { records: await this.#documents.withContents(found), next };
  }

  async #createMany(type: string, batch: readonly DocumentText[]): Promise<AppendedMany> {
    const args = [type, `[${batch.map(formOf).join(',')}]`];
    const { value, ...facts } = await this.#defined(type, () => this.#submit('CreateMany', args));
    const { created, refused } = value as RecordBatchResult;
    return {
      created: created.map((id) => ({ id, ...facts })),
      refused: refused.map((refusal) => {
        const { code, message } = contractRefusal(refusal);
        return { index: batch[refusal.index]?.index ?? 0, code, message };
      }),
    };
  }

  /** Runs a write, again after its type was defined when it was unknown. */
  async #defined<T>(type: string, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!isLedgerError(error, 'LEDGER.RECORD_TYPE_UNKNOWN')) throw error;
      let defining = this.#defining.get(type);
      if (defining === undefined) {
        defining = this.define(type, {}).finally(() => this.#defining.delete(type));
        this.#defining.set(type, defining);
      }
      await defining;
      return write();
    }
  }

  async #submit(
    name: string,
    args: readonly string[],
    key?: string,
  ): Promise<Omit<Appended, 'id'> & { value: unknown }> {
    const {
      result,
      transactionId,
      blockNumber,
      isReplay = false,
    } = await this.#documents.submit(name, args, { idempotencyKey: key });
    return { value: parse(result), transactionId, block: blockNumber, replayed: isReplay };
  }

  async #evaluate(name: string, args: readonly string[]): Promise<unknown> {
    return parse(await this.#ledger.evaluate({ chaincode: RECORDS_NAME, function: name, arguments: args }));
  }
}

interface RecordsPage {
  readonly records: readonly StoredRecord<unknown>[];
  /** The id after which the next page begins; empty on the last one. */
  readonly next: string;
}

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}

function recordOf(id: string, content: RecordContent): StoredRecord<unknown> {
  return { id, ...content };
}

function isMissing(error: unknown): boolean {
  return isLedgerError(error, 'LEDGER.RECORD_NOT_FOUND') || isLedgerError(error, 'LEDGER.RECORD_TYPE_UNKNOWN');
}

/** Returns the JSON text of a value. @throws `LEDGER.RECORD_INVALID` for one that has none, or that JSON would alter */
function jsonOf(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, requireFinite) as string | undefined;
  } catch (error) {
    throw isLedgerError(error) ? error : notJson(` (${(error as Error).message.split('\n', 1).join()})`, error);
  }
  if (text === undefined) throw notJson();
  return text;
}

/** JSON has no such numbers: JavaScript would write null. */
function requireFinite(name: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw notJson(`, which has no ${value}${name === '' ? '' : ` (${JSON.stringify(name)})`}`);
}

function notJson(reason = '', cause?: unknown): LedgerError {
  return new LedgerError('LEDGER.RECORD_INVALID', `the document is refused: it must be JSON${reason}`, { cause });
}

/** Returns documents as texts; those that have none are added to `refused`. */
function* textsOf(
  documents: Iterable<unknown>,
  key: string | undefined,
  refused: RefusedDocument[],
): Generator<DocumentText> {
  let index = 0;
  for (const document of documents) {
    try {
      yield { index, text: jsonOf(document), id: key === undefined ? undefined : idMemberOf(document, key) };
    } catch (error) {
      if (!isLedgerError(error)) throw error;
      refused.push({ index, code: error.code, message: error.message });
    }
    index += 1;
  }
}

function idMemberOf(document: unknown, key: string): string {
  const members: [string, unknown][] =
    typeof document === 'object' && document !== null ? Object.entries(document) : [];
  const id = members.find(([name]) => name === key)?.[1];
  const fault = typeof id === 'string' ? idFault(id) : 'must be a string';
  if (fault === undefined) return id as string;
  throw new LedgerError('LEDGER.INVALID_ARGUMENT', `the member ${JSON.stringify(key)}, which is the id, ${fault}`);
}

/** Returns a document in the form of a batch. */
function formOf({ text, id }: DocumentText): string {
  return `{"document":${text}${id === undefined ? '' : `,"id":${JSON.stringify(id)}`}}`;
}

/** Groups documents, each group for one transaction. */
function* batchesOf(documents: Iterable<DocumentText>): Generator<readonly DocumentText[]> {
  let batch: DocumentText[] = [];
  let bytes = 0;
  for (const entry of documents) {
    const size = Buffer.byteLength(formOf(entry)) + 1;
    if (batch.length === MAX_BATCH_RECORDS || (batch.length > 0 && bytes + size >= MAX_BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
