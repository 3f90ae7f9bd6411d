import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { idFault } from '#contract-kit';
import { includesRole, roleOn } from '#ledger-callers';
import {
  isLedgerError,
  LedgerError,
  type CallOptions,
  type LedgerChannel,
  type Page,
  type RecordFilter,
  type RecordName,
} from '#ledger-gateway';
import { contentOf, RecordDocuments, recordRefusal, type RecordSubmitResult, type StoredForm } from '#record-documents';
import { type RecordBatchResult, MAX_INDEXED_BYTES, recordDigest, RECORDS_NAME } from '#records-contract';
import { requireCapability } from '../gateway/capabilities.js';
import type { Caller } from '../access/access.decorators.js';
import { didYouMean } from '../http/did-you-mean.js';
import { readAtBlock } from '../http/at-block.js';
import { type ApiError, invalidRequest } from '../http/errors.js';
import type { WriteOptions, Written } from '../http/writes.js';
import type { RecordChange, RecordType, StoredDocument } from './record.dto.js';

/** A record with the digest of its state, which identifies it in ETag and If-Match. */
export interface ReadRecord {
  readonly record: StoredDocument;
  readonly digest: string;
}

/** The effect of a write with what it returned. */
export interface WrittenResult<T> extends Written {
  readonly value: T;
}

type WrittenDocument = WrittenResult<StoredDocument>;

/** The error of documents outside the blocks where the network cannot store them, as documented. */
export const NO_COLLECTION = new LedgerError(
  'LEDGER.NOT_SUPPORTED',
  'The chaincode of records has no private collection on this channel.',
);

/** Types whose operations the API's document describes. */
const MAX_DOCUMENTED = 100;
/** Types whose names a suggestion considers. */
const MAX_SUGGESTED = 1000;

/** The records of a channel as a caller may use them, by the functions of the records contract. */
export class ChannelRecords {
  readonly #documents: RecordDocuments;

  /** @param caller - undefined without authentication */
  constructor(
    readonly ledger: LedgerChannel,
    private readonly caller: string | undefined,
  ) {
    this.#documents = new RecordDocuments(ledger, caller);
  }

  async types(page: RequestedPage): Promise<Page<RecordType, string>> {
    const bytes = await this.#evaluate('ListTypes', [String(page.limit), page.cursor ?? '']);
    const { types, bookmark } = parse(bytes) as { types: RecordType[]; bookmark: string };
    return pageOf(types, bookmark);
  }

  async type(type: string): Promise<RecordType> {
    return parse(await this.#evaluate('GetType', [type])) as RecordType;
  }

  /** @param definition - JSON text */
  define(type: string, definition: string, options: CallOptions): Promise<WrittenResult<RecordType>> {
    return this.#submit<RecordType>('DefineType', [type, definition], options);
  }

  /** Returns a page of the records of a type that meet conditions on its indexed fields: all of them without conditions. */
  async page(
    type: string,
    { where = [], ...page }: RequestedPage & { readonly where?: readonly Condition[] },
  ): Promise<Page<StoredDocument, string>> {
    if (where.length > 0) return this.#find({ type, where }, page);
    const bytes = await this.#evaluate('List', [type, String(page.limit), page.cursor ?? '']);
    const { records, bookmark } = parse(bytes) as { records: IdentifiedRecord[]; bookmark: string };
    return pageOf(await this.#documents.withContents(records), bookmark);
  }

  async #find(filter: RecordFilter, { limit, cursor: after }: RequestedPage): Promise<Page<StoredDocument, string>> {
    const { indexes, payload } = await this.type(filter.type);
    for (const condition of filter.where) requireIndexed(condition, indexes, filter.type);
    if (payload === 'outside') return this.#documents.find(filter, { limit, after });
    const { records } = requireCapability(this.ledger, 'records');
    const { items, ...rest } = await records({ ...filter, limit, after }, { caller: this.caller });
    const found = items.map(({ id, record }) => ({ id, record: JSON.parse(record) as StoredForm }));
    return { ...rest, items: await this.#documents.withContents(found) };
  }

  async read({ type, id }: RecordName): Promise<ReadRecord> {
    const bytes = await this.#evaluate('Get', [type, id]);
    const content = await this.#documents.content(parse(bytes) as StoredForm);
    return { record: { id, ...content }, digest: tagOf(recordDigest(bytes)) };
  }

  /** Returns a record as it was after a block. */
  async readAt(record: RecordName, block: number): Promise<StoredDocument> {
    await this.type(record.type);
    if (idFault(record.id) !== undefined) {
      throw new LedgerError('LEDGER.RECORD_NOT_FOUND', `a record of ${record.type} with that id does not exist`);
    }
    const { recordAt } = requireCapability(this.ledger, 'records');
    const text = await readAtBlock(() => recordAt(record, block, { caller: this.caller }));
    return { id: record.id, ...(await this.#documents.content(JSON.parse(text) as StoredForm)) };
  }

  /** Creates a record. @param name - with an empty id for one that the contract makes */
  create({ type, id }: RecordName, document: string, options: WriteOptions): Promise<WrittenDocument> {
    return this.#write('Create', [type, id, document], options);
  }

  /**
   * Creates records in one transaction.
   * @param records - JSON texts of `{"document": …}`, each optionally with an id
   */
  createMany(
    type: string,
    records: readonly string[],
    options: CallOptions,
  ): Promise<WrittenResult<RecordBatchResult>> {
    return this.#submit<RecordBatchResult>('CreateMany', [type, `[${records.join(',')}]`], options);
  }

  update({ type, id }: RecordName, document: string, options: WriteOptions): Promise<WrittenDocument> {
    return this.#write('Update', [type, id, document, digestsOf(options)], options);
  }

  delete({ type, id }: RecordName, options: WriteOptions): Promise<WrittenResult<null>> {
    return this.#submit<null>('Delete', [type, id, digestsOf(options)], options);
  }

  /** Erases the documents of all versions of a record, and deletes it, whichever the mode of its type. */
  async purge(name: RecordName, options: WriteOptions): Promise<WrittenResult<null>> {
    try {
      const { transactionId, isReplay = false } = await this.#documents.purge(name, digestsOf(options), options);
      return { value: null, transactionId, isReplay };
    } catch (error) {
      throw await this.#explained(error, name.type);
    }
  }

  async history({ type, id }: RecordName, page: RequestedPage): Promise<Page<RecordChange, string>> {
    const bytes = await this.#evaluate('History', [type, id, String(page.limit), page.cursor ?? '']);
    const { changes, bookmark } = parse(bytes) as { changes: ContractChange[]; bookmark: string };
    const contents = await this.#documents.contents(changes.flatMap(({ record }) => record ?? []));
    const items = changes.map(({ transactionId, timestamp, isDelete, record }): RecordChange => {
      const { version = null, document = null, ...rest } = (record && contents.get(record)) ?? {};
      return { transactionId, timestamp, deleted: isDelete, version, document, ...rest };
    });
    return pageOf(items, bookmark);
  }

  async #write(name: string, args: readonly string[], options: CallOptions): Promise<WrittenDocument> {
    const { value, documents, ...facts } = await this.#submit<IdentifiedRecord>(name, args, options);
    const { id, record } = value;
    return { ...facts, value: { id, ...contentOf(record, documents) } };
  }

  async #evaluate(name: string, args: readonly string[]): Promise<Uint8Array> {
    const call = { chaincode: RECORDS_NAME, function: name, arguments: args };
    try {
      return await this.ledger.evaluate(call, { caller: this.caller });
    } catch (error) {
      throw await this.#explained(error, args[0] ?? '');
    }
  }

  async #submit<T>(
    name: string,
    args: readonly string[],
    options: CallOptions,
  ): Promise<WrittenResult<T> & Pick<RecordSubmitResult, 'documents'>> {
    try {
      const submitted = await this.#documents.submit(name, args, options);
      const { result, transactionId, isReplay = false, documents } = submitted;
      return { value: (result.length === 0 ? null : parse(result)) as T, transactionId, isReplay, documents };
    } catch (error) {
      throw await this.#explained(error, args[0] ?? '');
    }
  }

  /** Returns the error of a call: a peer reports a refusal of the contract as text, and an unknown type gets a suggestion. */
  async #explained(error: unknown, type: string): Promise<unknown> {
    const refusal = recordRefusal(error);
    if (!isLedgerError(refusal, 'LEDGER.RECORD_TYPE_UNKNOWN')) return refusal;
    const names = (await this.#firstTypes(MAX_SUGGESTED)).map(({ name }) => name);
    return new LedgerError(refusal.code, `${refusal.message}${didYouMean(type, names)}`, { cause: error });
  }

  /** Returns the first types for a courtesy, such as a suggestion: none where they cannot be read. */
  async #firstTypes(limit: number): Promise<readonly RecordType[]> {
    try {
      return (await this.types({ limit })).items;
    } catch {
      return [];
    }
  }

  /** Returns the first types that a caller may read, for a document; none where there are no records. */
  static async documentedTypes(ledger: LedgerChannel, caller: Caller | undefined): Promise<readonly RecordType[]> {
    if (caller !== undefined && !includesRole(roleOn(caller.role, ledger.channel), 'reader')) return [];
    // The document describes everything else.
    return new ChannelRecords(ledger, caller?.name).#firstTypes(MAX_DOCUMENTED);
  }
}

/** Injects the {@link ChannelRecords} of the channel and the caller of a request. */
export const OfRecords = createParamDecorator((_: unknown, context: ExecutionContext): ChannelRecords => {
  const request = context.switchToHttp().getRequest<FastifyRequest & { readonly ledgerChannel: LedgerChannel }>();
  return new ChannelRecords(request.ledgerChannel, request.caller?.name);
});

/** A condition on an indexed field. */
type Condition = RecordFilter['where'][number];

/** @throws `API.INVALID_REQUEST` for a condition that no index answers */
function requireIndexed({ field, value }: Condition, indexes: readonly string[], type: string): void {
  if (!indexes.includes(field)) throw notIndexed(field, indexes, type);
  if (Buffer.byteLength(value) <= MAX_INDEXED_BYTES) return;
  throw invalidRequest(
    `The query parameter where.${field} is too long: values of up to ${MAX_INDEXED_BYTES} bytes are indexed.`,
  );
}

/** Creates the error for a filter by a field without an index. */
export function notIndexed(field: string, indexes: readonly string[], type: string): ApiError {
  const known = indexes.length === 0 ? 'it has no indexed fields' : `its indexed fields are ${indexes.join(', ')}`;
  const text = `Records of ${type} cannot be filtered by ${JSON.stringify(field.slice(0, 64))}: ${known}`;
  return invalidRequest(`${text}${didYouMean(field, indexes) || '.'}`);
}

/** The size of a page, and after what it begins. */
interface RequestedPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A record with its id, as the contract returns it. */
interface IdentifiedRecord {
  readonly id: string;
  readonly record: StoredForm;
}

/** A change of a record, as the contract returns it. */
interface ContractChange {
  readonly transactionId: string;
  readonly timestamp: string;
  readonly isDelete: boolean;
  readonly record: StoredForm | null;
}

/** @param bookmark - of the next page; empty on the last one */
function pageOf<T>(items: readonly T[], bookmark: string): Page<T, string> {
  return bookmark === '' ? { items } : { items, next: bookmark };
}

/** Digests are base64url in ETags and hexadecimal in the contract. */
function tagOf(digest: string): string {
  return Buffer.from(digest, 'hex').toString('base64url');
}

/** Returns the digests of If-Match as an argument: `none` matches no record. */
function digestsOf({ digests }: WriteOptions): string {
  if (digests === undefined) return '';
  return digests.map((tag) => Buffer.from(tag, 'base64url').toString('hex')).join(',') || 'none';
}

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}
